"""`grader check` and `grader watch` judge a learner's files, `grader grade` all of them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import click

from grader import grading, learning, probe
from grader.classroom import is_export, is_notebook, learners_rubric, without_marks
from grader.cli import options
from grader.cli.prompts import ask_line, is_terminal, require_choice
from grader.cli.reports import print_and_exit, print_notice, print_text
from grader.course import (
    UnknownExerciseError,
    all_rubrics,
    exercise_file,
    find,
    find_by_file,
    require_course,
    solution_file,
)
from grader.learning import (
    READ_AT_ONCE,
    exercises_on_the_way,
    first_unfinished,
    is_asked,
    is_tried,
    look_at_file,
)
from grader.loading import LoadingError, classes_in, parse, read_source, shortest
from grader.schema import Report, Rubric

# Characters: the sign, the number and the start of what was found.
BESIDE_TITLE, SHORTEST_TITLE = 40, 10


@click.command()
@click.argument("targets", metavar="[NN | FILE]...", nargs=-1)
@click.option("--all", "everything", is_flag=True, help="Check every exercise.")
@click.option("--solutions", is_flag=True, help="Check solutions/ instead of exercises/.")
@options.device
@options.report_format
@click.option("--line", type=int, metavar="N", help="Say which line is to blame, then see why.")
@click.option("--why", is_flag=True, help="See the whole report without saying which line.")
def check(
    targets: tuple[str, ...],
    everything: bool,
    solutions: bool,
    device: Any,
    form: str,
    line: int | None,
    why: bool,
) -> None:
    """Judge exercises by number, or files; without either, each exercise that you changed.

    The first report on an exercise of yours asks which line is to blame before it says so.
    Exits 0 if all passed, 1 if not, 2 if it cannot tell.
    """
    names = (
        [rubric.number for rubric in all_rubrics()] if everything else targets or _tried_exercises()
    )
    answers = [answer for name in names for answer in _answers(name, solutions)]
    if line is not None and len(answers) != 1:
        raise click.UsageError("--line is about one exercise: grader check 03 --line 24")
    blamed = READ_AT_ONCE if why else line

    def reports() -> Iterator[Report]:
        for rubric, path in answers:
            report = _graded(rubric, path, device)
            if rubric.home:
                report = without_marks(report)
            if path.resolve() != exercise_file(rubric.stem).resolve():
                yield report
            elif form != "text":
                yield learning.for_learner(rubric, report)
                _note(rubric, report, form)
            else:
                yield from _in_stages(rubric, path, report, blamed, len(answers) == 1)

    print_and_exit(reports(), form)


def _tried_exercises() -> list[str]:
    """The numbers of the exercises that the learner has changed.

    Raises:
        UsageError: there are none.
    """
    require_course()
    if numbers := [rubric.number for rubric in all_rubrics() if is_tried(rubric)]:
        return numbers
    raise click.UsageError(
        "No exercise is changed yet. Name an exercise (grader check 03), a file, or --all."
    )


def _in_stages(
    rubric: Rubric, path: Path, report: Report, blamed: int | None, may_prompt: bool
) -> Iterator[Report]:
    """The report as its learner sees it: folded, until the line to blame or two others are named.

    Each is printed before anything is written.
    """
    whole = learning.for_learner(rubric, report)
    look = look_at_file(rubric, whole, path)
    if look and blamed is None and is_asked(rubric):
        yield look.folded
        blamed = ask_line(look, may_prompt)
    elif look is None or blamed is None:
        yield whole
        _note(rubric, report, "text")
        return
    while blamed is not None:
        if blamed != READ_AT_ONCE:
            require_choice(look, blamed)
        is_over, notice = look.blame(blamed)
        print_notice(notice)
        if is_over:
            yield look.unfolded(blamed)
            _note(rubric, report, "text")
            return
        yield look.after_a_miss(blamed)
        blamed = ask_line(look, may_prompt)
    print_notice(learning.note_attempt(rubric.number, report, report_shown=False))


def _note(rubric: Rubric, report: Report, form: str) -> None:
    """Keep what was said of the learner's own file, and say what comes next."""
    print_notice(learning.note_attempt(rubric.number, report))
    if (
        form == "text"
        and report.verdict != "passed"
        and (step := learning.step_after(rubric, learning.read_journal()[0]))
    ):
        click.echo(f"{step}\n")


def _graded(rubric: Rubric, path: Path, device: probe.DeviceChoice) -> Report:
    is_of_jupyter = is_notebook(path.name)
    with suppress(LoadingError):
        is_of_jupyter = is_of_jupyter or is_export(read_source(path))
    if is_of_jupyter:
        from grader.classroom import grade_notebook

        return grade_notebook(rubric, path, device)
    return grading.grade_file(rubric, path, device)


def _answers(target: str, solutions: bool) -> list[tuple[Rubric, Path]]:
    """The exercise that `target` names, and the file to grade; a notebook may answer several."""
    path = Path(target)
    if is_notebook(target):
        from grader.classroom import exercises_in_notebook

        rubric = learners_rubric(path)
        asked = [rubric] if rubric else exercises_in_notebook(path) or [find_by_file(path, ())]
        return [(rubric, path) for rubric in asked]
    if target.endswith(".py") or path.exists():
        return [(learners_rubric(path) or _exercise_of(path), path)]
    rubric = find(target)
    if not solutions:
        require_course()
    path = solution_file(rubric.stem) if solutions else exercise_file(rubric.stem)
    return [(rubric, shortest(path))]


def _exercise_of(path: Path) -> Rubric:
    """The exercise that a file answers.

    Raises:
        LoadingError: its name does not tell, and its text cannot be read.
        UnknownExerciseError: neither tells.
    """
    try:
        classes, unreadable = classes_in(parse(read_source(path), path)), None
    except LoadingError as error:
        classes, unreadable = (), error
    try:
        return find_by_file(path, classes)
    except UnknownExerciseError:
        if unreadable:
            raise unreadable from None
        raise


@click.command()
@options.device
def grade(device: Any) -> None:
    """Judge every exercise on your way that you changed: one line each, and the next step.

    Exits 0 if all of them could be judged, whatever the verdicts; else 2. In CI use
    `grader check --all`, which exits 1 if one failed.
    """
    from rich.console import Console

    require_course()
    console = Console(highlight=False)
    course = exercises_on_the_way()
    longest = max(len(rubric.title) for rubric in course)
    width = min(longest, max(console.width - BESIDE_TITLE, SHORTEST_TITLE))
    graded, notice = list[tuple[Rubric, Report]](), ""
    for rubric in course:
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
    rubric, path = graded[0][0], exercise_file(graded[0][0].stem)
    report = learning.for_learner(rubric, grading.grade_file(rubric, shortest(path), device))
    look = look_at_file(rubric, report, path)
    click.echo()
    print_text(look.folded if look else report)
    click.echo(f"`grader check {rubric.number}` shows the lines to choose from.")


def _line_report(rubric: Rubric, device: Any) -> Report:
    """The report on an exercise; an untouched starter needs no process to be judged in."""
    path = shortest(exercise_file(rubric.stem))
    if is_tried(rubric):
        return grading.grade_file(rubric, path, device)
    return Report("not_attempted", "none", f"{rubric.number} {rubric.title}", str(path))


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
