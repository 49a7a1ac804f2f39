"""`grader audit --package`: the survey of a package, printed."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, NoReturn

import click

COLOURS: dict[str | None, dict[str, Any]] = {
    "bad": {"fg": "red"}, "doubt": {"fg": "yellow"}, "good": {"fg": "green"}, "open": {"dim": True},
}  # fmt: skip


def survey(
    name: str, recipes: Path | None, device: Any, form: str, seconds: float, jobs: int | None,
    page: Path | None,
) -> NoReturn:  # fmt: skip
    """Audit a package's classes, print the survey, and exit with what it says.

    Args:
        name: a package, or a folder.
        recipes: the TOML file with its recipes; the nearest pyproject.toml, unless given.
        device: what to judge on.
        form: how to print it.
        seconds: the longest that one audit may take.
        jobs: how many processes; one for each processor, unless given.
        page: where to write an HTML page as well, if anywhere.
    """
    from grader.surveys.faces.page import to_page
    from grader.surveys.package.distribution import find_package
    from grader.surveys.package.run import survey_package
    from grader.surveys.recipes import nearest_pyproject, read_recipes

    package = find_package(name)
    start = Path(package.path) if package.path else Path.cwd()
    told_by_project = read_recipes(recipes or nearest_pyproject(start))
    seen = survey_package(package, told_by_project, device, seconds, jobs, _progress)
    if page:
        page.write_text(to_page(seen), encoding="utf-8")
        click.echo(f"Page: {page}", err=True)
    _print(seen, form)
    sys.exit(seen.exit_code)


def _print(seen: Any, form: str) -> None:
    from grader.surveys.faces.data import to_json
    from grader.surveys.faces.text import lines

    if form == "json":
        click.echo(to_json(seen))
    elif form == "text":
        for line in lines(seen):
            click.secho(line.text, **COLOURS.get(line.mood, {}))
    else:
        from grader.cli.reports import print_data

        print_data([entry.report for entry in seen.entries if entry.report], form)


def _progress(entry: Any, total: int) -> None:
    """A dot for each class, where a person watches."""
    if sys.stderr.isatty():
        click.echo("." if entry.report else "-", nl=False, err=True)
