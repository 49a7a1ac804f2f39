"""Reports, printed."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

import click

from grader import judge, render
from grader.schema import exit_code

if TYPE_CHECKING:
    from rich.console import Console

    from grader.schema import Notice, Report


def print_and_exit(
    reports: Iterable[Any],
    form: str,
    strict: bool = False,
    notices: Iterable[Notice] = (),
) -> NoReturn:
    """Print each report as soon as it is there, then the notices, and exit with what they say."""
    printed = []
    for report in reports:
        printed.append(report)
        if form == "text":
            print_text(report)
    further = list(notices)
    if form == "text":
        for notice in further:
            click.echo(f"Note: {notice.title}. {notice.message}")
    else:
        print_data(printed, form, further)
    sys.exit(exit_code([*printed, *further], strict))


def plain_console() -> Console:
    """Standard output, in which no number or path is coloured."""
    from rich.console import Console

    return Console(highlight=False)


def print_text(report: Any) -> None:
    """Print a report for a person, in colour where the terminal has any."""
    console = plain_console()
    if console.is_terminal:
        console.print(render.render_text(report), crop=False)
    else:
        print(render.to_text(report, console.width), end="")
    console.print()


def print_statistics(reports: Sequence[Report], notices: Sequence[Notice]) -> None:
    """Print how many findings each code has, the commonest first, and what was not judged.

    A line that is at fault in several classes counts once.
    """
    found = {
        (judge.known_by(report, finding), finding.line): (finding.code, finding.severity)
        for report in reports
        for finding in report.findings
    }
    counts = sorted(Counter(found.values()).items(), key=lambda item: (-item[1], item[0]))
    for (code, severity), number in counts:
        click.echo(f"{number:5,}  {severity:7}  {code}")
    if not counts:
        click.echo("No findings.")
    print_unjudged(reports, notices)


def print_unjudged(reports: Sequence[Report], notices: Sequence[Notice]) -> list[Report | Notice]:
    """Say of reports that judge nothing why they do not, and all notices; returns these."""
    unjudged: list[Report | Notice] = [*(each for each in reports if each.exit_code > 1), *notices]
    for each in unjudged:
        click.echo(f"{each.title}: {each.message}", err=True)
    return unjudged


def print_notice(notice: str) -> None:
    """Print what is beside the matter, where no program reads it."""
    if notice:
        click.echo(notice, err=True)


def print_data(reports: list[Any], form: str, notices: Sequence[Notice]) -> None:
    """Print reports and notices for a program, in a format other than text."""
    faces = {
        "json": render.to_json,
        "sarif": render.to_sarif,
        "github": render.to_annotations,
        "junit": render.to_junit,
    }
    click.echo(faces[form](reports, notices))
