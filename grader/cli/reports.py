"""Reports, printed."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

import click

if TYPE_CHECKING:
    from grader.schema import Report

# Exit codes, from what matters least to what matters most: of several reports, the last is given.
BY_WEIGHT = (0, 3, 1, 2)


def print_and_exit(reports: Iterable[Any], form: str, strict: bool = False) -> NoReturn:
    """Print each report as soon as it is there, and exit with what they say together."""
    printed = []
    for report in reports:
        printed.append(report)
        if form == "text":
            print_text(report)
    if form != "text":
        print_data(printed, form)
    sys.exit(exit_code(printed, strict))


def exit_code(reports: Sequence[Any], strict: bool = False, code: int | None = None) -> int:
    """What several reports say together; 0 of none.

    Args:
        reports: of exercises or audits.
        strict: whether a warning is a fault, and so is a module that was never called.
        code: what they say without that, unless it is simply the weightiest of theirs.
    """
    if code is None:
        code = max((report.exit_code for report in reports), key=BY_WEIGHT.index, default=0)
    return 1 if strict and code in (0, 3) and any(map(_has_doubts, reports)) else code


def _has_doubts(report: Report) -> bool:
    is_warned = any(finding.severity == "warning" for finding in report.findings)
    return is_warned or not report.is_called


def print_text(report: Any) -> None:
    """Print a report for a person, in colour where the terminal has any."""
    from rich.console import Console

    from grader.render import render_text, to_text

    console = Console(highlight=False)
    if console.is_terminal:
        console.print(render_text(report), crop=False)
    else:
        print(to_text(report, console.width), end="")
    console.print()


def print_statistics(reports: Sequence[Report]) -> None:
    """Print how many findings each code has, the commonest first.

    A line that is at fault in several classes counts once.
    """
    from grader.judge import known_by

    found = {
        (known_by(report, finding), finding.line): (finding.code, finding.severity)
        for report in reports
        for finding in report.findings
    }
    counts = sorted(Counter(found.values()).items(), key=lambda item: (-item[1], item[0]))
    for (code, severity), number in counts:
        click.echo(f"{number:5,}  {severity:7}  {code}")
    if not counts:
        click.echo("No findings.")
    print_unjudged(reports)


def print_unjudged(reports: Sequence[Report]) -> list[Report]:
    """Say of reports that judge nothing why they do not; returns these."""
    unjudged = [report for report in reports if report.exit_code > 1]
    for report in unjudged:
        click.echo(f"{report.title}: {report.message}", err=True)
    return unjudged


def print_notice(notice: str) -> None:
    """Print what is beside the matter, where no program reads it."""
    if notice:
        click.echo(notice, err=True)


def print_data(reports: list[Any], form: str) -> None:
    """Print reports for a program, in a format other than text."""
    if form == "json":
        from grader.render import to_json

        click.echo(to_json(reports))
    elif form == "sarif":
        from grader.render import to_sarif

        click.echo(to_sarif(reports))
    elif form == "github":
        from grader.render import to_annotations

        click.echo(to_annotations(reports))
    else:
        from grader.render import to_junit

        click.echo(to_junit(reports))
