"""Hands the exercises over to the systems where a class works: Gradescope, GitHub, nbgrader."""
