"""Reports, printed, without what the project says is meant."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

import click

from grader.auditing import AuditOptions, codes
from grader.judge import count, selected_findings
from grader.judge import write_baseline as written
from grader.schema import Report

# Exit codes, from what matters least to what matters most: of several reports, the last is given.
BY_WEIGHT = (0, 3, 1, 2)


def print_and_exit(reports: Iterable[Any], form: str) -> NoReturn:
    """Print each report as soon as it is there, and exit with what they say together."""
    printed = []
    for report in reports:
        printed.append(report)
        if form == "text":
            print_text(report)
    if form != "text":
        print_data(printed, form)
    sys.exit(exit_code(printed))


def exit_code(reports: Iterable[Any]) -> int:
    """What several reports say together; 0 of none."""
    return max((report.exit_code for report in reports), key=BY_WEIGHT.index, default=0)


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


def selection(
    project: AuditOptions,
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    baseline: Path | None,
    write_baseline: Path | None,
) -> Callable[[Report], Report]:
    """What takes from a report the findings that are meant.

    An option of the command replaces that of pyproject.toml, as it does with ruff and mypy.

    Args:
        project: what pyproject.toml says.
        select: the only codes to tell.
        ignore: codes not to tell.
        baseline: a file of findings that are known, if any.
        write_baseline: the file to write; then all are new.
    """
    if select:
        project = replace(project, select=codes(select, "--select"))
    if ignore:
        project = replace(project, ignore=codes(ignore, "--ignore"))
    known = None if write_baseline else baseline or project.baseline
    return partial(selected_findings, choice=replace(project, baseline=known).choice())


def save_baseline(path: Path, reports: list[Report]) -> NoReturn:
    """Write the findings to a file, and exit: 0, or as reports do that could not judge."""
    path.write_text(written(reports), encoding="utf-8")
    findings = count(sum(len(report.findings) for report in reports), "finding")
    click.echo(f"{path} holds {findings}. With --baseline {path}, only what is new is told.")
    unjudged = [report for report in reports if report.exit_code > 1]
    for report in unjudged:
        click.echo(f"{report.title}: {report.message}", err=True)
    sys.exit(exit_code(unjudged))
