"""`grader grade`: a line for each exercise that the learner changed, and the next step."""

from __future__ import annotations

import sys
from typing import Any

import click

from grader import course, grading, learning
from grader.cli import options
from grader.cli.reports import plain_console, print_notice, print_text
from grader.loading import shortest
from grader.schema import Report, Rubric

# Characters: the sign, the number and the start of what was found.
BESIDE_TITLE, SHORTEST_TITLE = 40, 10


@click.command()
@options.device
def grade(device: Any) -> None:
    """Judge every exercise on your way that you changed: one line each, and the next step.

    Exits 0 if all of them could be judged, whatever the verdicts; else 2. In CI use
    `grader check --all`, which exits 1 if one failed.
    """
    course.require_course()
    console = plain_console()
    exercises = learning.exercises_on_the_way()
    longest = max(len(rubric.title) for rubric in exercises)
    width = min(longest, max(console.width - BESIDE_TITLE, SHORTEST_TITLE))
    graded, notice = list[tuple[Rubric, Report]](), ""
    for rubric in exercises:
        report = _line_report(rubric, device)
        console.print(
            learning.overview_line(rubric, report, width), no_wrap=True, overflow="ellipsis"
        )
        if report.verdict != "not_attempted":
            notice = learning.note_attempt(rubric.number, report, report_shown=False)
        graded.append((rubric, report))
    if all(report.verdict == "not_attempted" for _, report in graded):
        _show_first(graded, device)
    click.echo("\n" + "\n".join(learning.overview_summary(graded)))
    print_notice(notice)
    sys.exit(2 if any(report.exit_code == 2 for _, report in graded) else 0)


def _show_first(graded: list[tuple[Rubric, Report]], device: Any) -> None:
    """Of a course that nobody has begun, a first verdict: what is said of the first starter."""
    rubric, path = graded[0][0], course.exercise_file(graded[0][0].stem)
    report = learning.for_learner(rubric, grading.grade_file(rubric, shortest(path), device))
    look = learning.look_at_file(rubric, report, path)
    click.echo()
    print_text(look.folded if look else report)
    click.echo(f"`grader check {rubric.number}` shows the lines to choose from.")


def _line_report(rubric: Rubric, device: Any) -> Report:
    """The report on an exercise; an untouched starter needs no process to be judged in."""
    path = shortest(course.exercise_file(rubric.stem))
    if learning.is_tried(rubric):
        return grading.grade_file(rubric, path, device)
    return Report("not_attempted", "none", f"{rubric.number} {rubric.title}", str(path))
