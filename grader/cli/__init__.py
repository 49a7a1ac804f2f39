"""The `grader` command. Only the commands that run a learner's code import torch."""

from grader.cli.commands import main

__all__ = ["main"]
