"""What a notebook uses: the check cell and how a report looks in it."""

from grader.learning.notebook.check_cell import audit

__all__ = ["audit"]
