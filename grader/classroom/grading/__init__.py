"""Grades submissions: workers, the processes that they fork, and what comes of each submission."""
