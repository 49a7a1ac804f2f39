"""`grader audit --package`: audit every class of a package, and tell what that found."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

import click

from grader import auditing
from grader.cli.reports import print_data
from grader.schema import Report, exit_code

COLOURS: dict[str | None, dict[str, Any]] = {
    "bad": {"fg": "red"}, "doubt": {"fg": "yellow"}, "good": {"fg": "green"}, "open": {"dim": True},
}  # fmt: skip


def survey(
    name: str,
    recipes: Path | None,
    device: Any,
    seconds: float,
    jobs: int | None,
    selected: Callable[[Report], Report],
) -> auditing.Survey:
    """Audit a package's classes.

    Args:
        name: a package, or a folder.
        recipes: the TOML file with its recipes; the nearest pyproject.toml, unless given.
        device: what to judge on.
        seconds: the longest that one audit may take.
        jobs: how many processes; one for each processor, unless given.
        selected: takes from a report the findings that are meant.
    """
    package = auditing.find_package(name)
    start = Path(package.path) if package.path else Path.cwd()
    told_by_project = auditing.read_recipes(recipes or auditing.nearest_pyproject(start))
    seen = auditing.survey_package(package, told_by_project, device, seconds, jobs, _progress)
    entries = (
        replace(entry, report=selected(entry.report)) if entry.report else entry
        for entry in seen.entries
    )
    return replace(seen, entries=tuple(entries))


def show_survey(seen: auditing.Survey, form: str, page: Path | None, strict: bool) -> NoReturn:
    """Print a survey, write its page if one is asked for, and exit with what it says."""
    if page:
        page.write_text(auditing.survey_page(seen), encoding="utf-8")
        click.echo(f"Page: {page}", err=True)
    if form == "json":
        click.echo(auditing.survey_json(seen))
    elif form == "text":
        for line in auditing.survey_lines(seen):
            click.secho(line.text, **COLOURS.get(line.mood, {}))
    else:
        print_data(seen.reports, form, seen.notices)
    sys.exit(exit_code([*seen.reports, *seen.notices], strict))


def _progress(entry: Any, total: int) -> None:
    """A dot for each class, where a person watches."""
    if sys.stderr.isatty():
        click.echo("." if entry.report else "-", nl=False, err=True)
