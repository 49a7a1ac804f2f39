"""Asks about a module, and for one of several answers, in a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from shutil import get_terminal_size

import click

from grader.course import Question
from grader.render import wrap_lines


def choose(asked: str, options: Sequence[str]) -> str:
    """The option that is typed, or begun to be typed.

    Raises:
        Abort: `q`, or nothing more to read.
    """

    def which(typed: str) -> str:
        begun = typed.strip().lower()
        if begun == "q":
            raise click.Abort
        matching = [option for option in options if begun and option.lower().startswith(begun)]
        if len(matching) != 1:
            raise click.BadParameter(f"type one of {', '.join(options)}, or q.")
        return matching[0]

    chosen: str = click.prompt(f"{asked} ({', '.join(options)})", value_proc=which)
    return chosen


def prompt_text(question: Question) -> str:
    """A question about a module: its code, what is asked, and the choices."""
    choices = [f"  {letter}. {question.choice(letter).text}" for letter in question.letters]
    return "\n".join([question.code, "", to_terminal("\n".join([question.text, "", *choices]))])


def to_terminal(text: str) -> str:
    """The same text, in lines that fit the terminal."""
    return wrap_lines(text, get_terminal_size().columns)
