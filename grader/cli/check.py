"""`grader check`: judge exercises or files, and ask which line is to blame before telling."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import click

from grader import classroom, course, grading, learning, probe
from grader.cli import options
from grader.cli.prompts import ask_line, require_choice
from grader.cli.reports import print_and_exit, print_notice
from grader.loading import LoadingError, classes_in, parse, read_source, shortest
from grader.schema import Report, Rubric


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
    every = [rubric.number for rubric in course.all_rubrics()] if everything else ()
    names = every or targets or _tried_exercises()
    answers = [answer for name in names for answer in _answers(name, solutions)]
    if line is not None and len(answers) != 1:
        raise click.UsageError("--line is about one exercise: grader check 03 --line 24")
    blamed = learning.READ_AT_ONCE if why else line

    def reports() -> Iterator[Report]:
        for rubric, path in answers:
            report = _graded(rubric, path, device)
            if rubric.home:
                report = classroom.without_marks(report)
            if path.resolve() != course.exercise_file(rubric.stem).resolve():
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
    course.require_course()
    if numbers := [rubric.number for rubric in course.all_rubrics() if learning.is_tried(rubric)]:
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
    look = learning.look_at_file(rubric, whole, path)
    if look and blamed is None and learning.is_asked(rubric):
        yield look.folded
        blamed = ask_line(look, may_prompt)
    elif look is None or blamed is None:
        yield whole
        _note(rubric, report, "text")
        return
    while blamed is not None:
        if blamed != learning.READ_AT_ONCE:
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
    is_told = form == "text" and report.verdict != "passed"
    if is_told and (step := learning.step_after(rubric, learning.read_journal()[0])):
        click.echo(f"{step}\n")


def _graded(rubric: Rubric, path: Path, device: probe.DeviceChoice) -> Report:
    is_of_jupyter = classroom.is_notebook(path.name)
    with suppress(LoadingError):
        is_of_jupyter = is_of_jupyter or classroom.is_export(read_source(path))
    if is_of_jupyter:
        return classroom.grade_notebook(rubric, path, device)
    return grading.grade_file(rubric, path, device)


def _answers(target: str, solutions: bool) -> list[tuple[Rubric, Path]]:
    """The exercise that `target` names, and the file to grade; a notebook may answer several."""
    path = Path(target)
    if classroom.is_notebook(target):
        rubric = classroom.learners_rubric(path)
        answered = [rubric] if rubric else classroom.exercises_in_notebook(path)
        return [(rubric, path) for rubric in answered or [course.find_by_file(path, ())]]
    if target.endswith(".py") or path.exists():
        return [(classroom.learners_rubric(path) or _exercise_of(path), path)]
    rubric = course.find(target)
    if not solutions:
        course.require_course()
    path = course.solution_file(rubric.stem) if solutions else course.exercise_file(rubric.stem)
    return [(rubric, shortest(path))]


def _exercise_of(path: Path) -> Rubric:
    """The exercise that a file answers.

    Raises:
        LoadingError: its name does not tell, and its text cannot be read.
        course.UnknownExerciseError: neither tells.
    """
    try:
        classes, unreadable = classes_in(parse(read_source(path), path)), None
    except LoadingError as error:
        classes, unreadable = (), error
    try:
        return course.find_by_file(path, classes)
    except course.UnknownExerciseError:
        if unreadable:
            raise unreadable from None
        raise
