"""The command for an editor on one side and the verdict on the other."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import click

from grader.cli import options
from grader.cli.prompts import is_terminal
from grader.course import all_rubrics, find, require_course
from grader.learning import first_unfinished

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

    require_course()
    start = find(exercise) if exercise else first_unfinished() or all_rubrics()[0]
    if is_terminal():
        watch_on_screen(start, device)
    else:
        with suppress(KeyboardInterrupt):
            watch_in_lines(start, device, WIDTH)
