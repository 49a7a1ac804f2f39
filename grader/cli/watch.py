"""`grader watch`: judge an exercise each time it is saved."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import click

from grader import course, learning
from grader.cli import options
from grader.cli.prompts import is_terminal

WIDTH = 100


@click.command()
@click.argument("exercise", metavar="[NN]", required=False)
@options.device
def watch(exercise: str | None, device: Any) -> None:
    """Judge an exercise each time you save it, beginning with the first unfinished one.

    In a terminal, keys show hints and the other exercises. Elsewhere each verdict is
    printed below the last, until Ctrl-C.
    """
    from grader.learning import watch_in_lines, watch_on_screen

    course.require_course()
    following = course.find(exercise) if exercise else learning.first_unfinished()
    start = following or course.all_rubrics()[0]
    if is_terminal():
        watch_on_screen(start, device)
    else:
        with suppress(KeyboardInterrupt):
            watch_in_lines(start, device, WIDTH)
