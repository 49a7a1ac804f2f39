"""`python -m grader`, for where the command itself is not on the path."""

from grader.cli import main

main()
