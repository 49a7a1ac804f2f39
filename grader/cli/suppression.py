"""What an audit leaves out, since the project says that it is meant."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NoReturn

import click

from grader.auditing import AuditOptions
from grader.cli.reports import exit_code, print_unjudged
from grader.judge import count, selected_findings
from grader.judge import write_baseline as written
from grader.schema import Report


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
    project = project.overridden(select, ignore, baseline)
    if write_baseline:
        project = replace(project, baseline=None)
    return partial(selected_findings, choice=project.choice())


def save_baseline(path: Path, reports: list[Report]) -> NoReturn:
    """Write the findings to a file, and exit: 0, or as reports do that could not judge."""
    path.write_text(written(reports), encoding="utf-8")
    findings = count(sum(len(report.findings) for report in reports), "finding")
    click.echo(f"{path} holds {findings}. With --baseline {path}, only what is new is told.")
    sys.exit(exit_code(print_unjudged(reports)))
