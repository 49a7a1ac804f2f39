"""The `grader` command. It imports torch only in the commands that run a learner's code."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NoReturn

import click

from grader.catalog import (
    UnknownExerciseError,
    exercise_file,
    find,
    find_by_file,
    rubrics,
    solution_file,
)
from grader.findings import UnknownCodeError, page, summaries
from grader.loading import LoadingError, classes_in, parse, read_source, shortest
from grader.rubrics import Rubric

CANNOT_GRADE = 2
DEVICES = click.Choice(["auto", "cuda", "simulated"])
FORMATS = click.Choice(["text", "json", "junit"])


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="wheres-my-tensor", prog_name="grader")
def grader() -> None:
    """Where's My Tensor? Runs your nn.Module on CUDA and says what stayed behind, and why."""


@grader.command(name="list")
def list_exercises() -> None:
    """List the exercises."""
    for rubric in rubrics():
        click.echo(f"{rubric.number}  {rubric.title}  (exercises/{rubric.stem}.py)")


@grader.command()
@click.argument("targets", metavar="[NN | FILE]...", nargs=-1)
@click.option("--all", "everything", is_flag=True, help="Check every exercise.")
@click.option("--solutions", is_flag=True, help="Check solutions/ instead of exercises/.")
@click.option("--device", type=DEVICES, default="auto", help="What to judge on.  [default: auto]")
@click.option("--format", "form", type=FORMATS, default="text", help="How to print the report.")
def check(
    targets: tuple[str, ...], everything: bool, solutions: bool, device: Any, form: str
) -> None:
    """Judge exercises by number, or files. Exits 0 if all passed, 1 if not, 2 if it cannot tell."""
    from grader.grading import grade_file

    if not targets and not everything:
        raise click.UsageError("Name an exercise (grader check 03), a file, or --all.")
    names = [rubric.number for rubric in rubrics()] if everything else targets
    answers = [_answer(name, solutions) for name in names]
    _conclude((grade_file(rubric, path, device) for rubric, path in answers), form)


@grader.command()
@click.argument("target", metavar="FILE.py:CLASS")
@click.option(
    "--inputs",
    default="",
    metavar="FUNCTION",
    help="The function in the file that returns the inputs.  [default: example_input]",
)
@click.option("--device", type=DEVICES, default="auto", help="What to judge on.  [default: auto]")
@click.option("--format", "form", type=FORMATS, default="text", help="How to print the report.")
@click.option(
    "--time-limit",
    type=click.FloatRange(min=0, min_open=True),
    default=120,
    metavar="SECONDS",
    help="How long it may take.  [default: 120]",
)
def audit(target: str, inputs: str, device: Any, form: str, time_limit: float) -> None:
    """Say what goes wrong when any nn.Module moves to CUDA.

    CLASS may also be a function that makes the module. Exits 0 if nothing is wrong, 1 if something
    is, 2 if it cannot tell.
    """
    from grader.auditing import audit_file

    path, name = _file_and_name(target)
    _conclude([audit_file(path, name, inputs, device, time_limit)], form)


@grader.command()
@click.argument("code", required=False)
def explain(code: str | None) -> None:
    """Print what a finding's CODE means, or list all codes."""
    if code is None:
        for each, summary in summaries().items():
            click.echo(f"{each:27}{summary}")
    else:
        _print_page(page(code))


@grader.command()
@click.argument("exercise", metavar="NN")
@click.option("--number", default=1, help="Which hint.  [default: 1]")
def hint(exercise: str, number: int) -> None:
    """Print a hint."""
    from grader.notebook.check_cell import hint

    hint(exercise, number)


@grader.command()
@click.argument("exercise", metavar="NN")
def solution(exercise: str) -> None:
    """Print one good answer, and why it is right."""
    from grader.notebook.check_cell import solution

    solution(exercise)


@grader.command()
@click.argument("exercise", metavar="NN")
def reset(exercise: str) -> None:
    """Bring the starter back; your answer is kept beside it."""
    from grader.notebook.check_cell import reset

    kept = reset(exercise)
    click.echo(f"The starter is back. Your answer is in {kept}." if kept else "It is the starter.")


@grader.command()
def verify() -> None:
    """For authors: every starter, solution, accepted answer and mistake behaves as declared."""
    from grader.verification import verify_course

    problems = 0
    for line, is_right in verify_course():
        problems += not is_right
        click.echo(line)
    told = f"{problems} problem{'s' * (problems > 1)}"
    click.echo(told if problems else "All behave as declared.")
    sys.exit(bool(problems))


def _file_and_name(target: str) -> tuple[Path, str]:
    """`net.py:Net` in two; the name is empty where none is given."""
    file, _, name = target.rpartition(":")
    if file and (name.isidentifier() or not name):
        return Path(file), name
    return Path(target), ""


def _answer(target: str, solutions: bool) -> tuple[Rubric, Path]:
    """The exercise that `target` names, and the file to grade."""
    if target.endswith(".py") or Path(target).exists():
        path = Path(target)
        return _exercise_of(path), path
    rubric = find(target)
    path = solution_file(rubric.stem) if solutions else exercise_file(rubric.stem)
    return rubric, shortest(path)


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


def _conclude(reports: Iterable[Any], form: str) -> NoReturn:
    """Print each report as soon as it is there, and exit with what they say together."""
    told = []
    for report in reports:
        told.append(report)
        if form == "text":
            _print_text(report)
    if form != "text":
        _print_data(told, form)
    sys.exit(max(report.exit_code for report in told))


def _print_page(markdown: str) -> None:
    from rich.console import Console
    from rich.markdown import Markdown

    console = Console()
    console.print(Markdown(markdown, hyperlinks=console.is_terminal))


def _print_text(report: Any) -> None:
    from rich.console import Console

    from grader.render.text import render_text, to_text

    console = Console(highlight=False)
    if console.is_terminal:
        console.print(render_text(report), crop=False)
    else:
        print(to_text(report, console.width), end="")
    console.print()


def _print_data(reports: list[Any], form: str) -> None:
    if form == "json":
        from grader.render.data import to_json

        click.echo(to_json(reports))
    else:
        from grader.render.junit import to_junit

        click.echo(to_junit(reports))


def main() -> None:
    """Run the command; whatever goes wrong is said in a sentence, never a traceback."""
    try:
        grader(prog_name="grader")
    except (UnknownExerciseError, UnknownCodeError, LoadingError, OSError) as error:
        click.echo(f"grader: {error}", err=True)
        sys.exit(CANNOT_GRADE)


if __name__ == "__main__":
    main()
