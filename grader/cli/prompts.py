"""Asks about a module, for the line to blame, and for one of several answers, in a terminal."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from shutil import get_terminal_size
from typing import TYPE_CHECKING

import click

from grader import learning, render

if TYPE_CHECKING:
    from grader.course import Item
    from grader.learning import FirstLook


def is_terminal() -> bool:
    """Whether somebody can read and type."""
    return sys.stdin.isatty() and sys.stdout.isatty()


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


def choose_sure() -> bool:
    """Whether the answer that was given is a sure one.

    Raises:
        Abort: `q`, or nothing more to read.
    """
    return choose("How sure are you", ("sure", "not sure")) == "sure"


def ask_line(look: FirstLook, may_prompt: bool) -> int | None:
    """The line that is blamed, `READ_AT_ONCE` for `why`, or None, and then how to answer is said.

    Args:
        look: shows its folded report already.
        may_prompt: whether to wait for an answer, if this is a terminal.
    """
    click.echo(f"{look.code}\n")
    if may_prompt and is_terminal():
        try:
            line: int = click.prompt(
                "Its number, or why", value_proc=lambda typed: _line(look, typed)
            )
            return line
        except click.Abort:
            click.echo()
    click.echo(f"{look.how_to_answer}\n")
    return None


def _line(look: FirstLook, typed: str) -> int:
    begun = typed.strip().lower()
    if begun == "q":
        raise click.Abort
    if begun and "why".startswith(begun):
        return learning.READ_AT_ONCE
    return require_choice(look, int(begun) if begun.isdecimal() else learning.READ_AT_ONCE)


def require_choice(look: FirstLook, line: int) -> int:
    """The line, if it is one of the choices.

    Raises:
        BadParameter: it is not.
    """
    if look.choice(line):
        return line
    lines = ", ".join(str(choice.line) for choice in look.choices)
    raise click.BadParameter(f"choose a line of {look.rubric.class_name}: {lines}.")


def prompt_text(question: Item) -> str:
    """A question about a module: its code, what is asked, and the choices."""
    choices = [f"  {letter}. {question.choice(letter).text}" for letter in question.letters]
    return "\n".join(
        [question.shown_code, "", to_terminal("\n".join([question.asked, "", *choices]))]
    )


def to_terminal(text: str) -> str:
    """The same text, in lines that fit the terminal."""
    return render.wrap_lines(text, get_terminal_size().columns)
