"""Asks about a module, and for one of several answers, in a terminal."""

from __future__ import annotations

import re
from collections.abc import Sequence
from shutil import get_terminal_size
from textwrap import fill

import click

from grader.questions import Question

HANGS = re.compile(r" *(?:[A-Z]\. |[✓✗] )?")  # what the lines below a broken one are indented by


def choose(asked: str, options: Sequence[str]) -> str:
    """The option that is typed, or begun to be typed.

    Raises:
        Abort: `q`, or nothing more to read.
    """

    def which(typed: str) -> str:
        begun = typed.strip().lower()
        if begun == "q":
            raise click.Abort
        matching = [each for each in options if begun and each.lower().startswith(begun)]
        if len(matching) != 1:
            raise click.BadParameter(f"type one of {', '.join(options)}, or q.")
        return matching[0]

    chosen: str = click.prompt(f"{asked} ({', '.join(options)})", value_proc=which)
    return chosen


def asked_text(question: Question) -> str:
    """A question about a module: its code, what is asked, and the choices."""
    choices = [f"  {letter}. {question.choice(letter).text}" for letter in question.letters]
    return "\n".join([question.code, "", fitted("\n".join([question.text, "", *choices]))])


def fitted(text: str) -> str:
    """The same text, with lines broken between words where the terminal is narrower."""
    width = get_terminal_size().columns
    return "\n".join(
        fill(
            line,
            width,
            subsequent_indent=" " * len(HANGS.findall(line)[0]),
            break_long_words=False,
            break_on_hyphens=False,
        )
        for line in text.splitlines()
    )
