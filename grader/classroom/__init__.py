"""Grades a class: from a folder of submissions to marks."""
