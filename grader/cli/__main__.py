"""`python -m grader.cli`: the same as `python -m grader`."""

from grader.cli import main

main()
