"""`grader audit --select, --ignore, --baseline`: what a project means is not told."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NoReturn

import click

from grader import judge
from grader.auditing import AuditOptions
from grader.cli.reports import print_unjudged
from grader.loading import text_at
from grader.schema import Notice, Report, exit_code


@dataclass(frozen=True)
class Meant:
    """What the options of a command say is meant; they replace those of pyproject.toml.

    Attributes:
        select: the only codes to tell.
        ignore: codes not to tell.
        baseline: a file of findings that are known, if any.
        write_baseline: the file to write; then all are new.
    """

    select: tuple[str, ...]
    ignore: tuple[str, ...]
    baseline: Path | None
    write_baseline: Path | None
    _known: set[judge.Known] = field(default_factory=set)
    _reports: list[Report] = field(default_factory=list)

    def selection(self, project: AuditOptions) -> Callable[[Report], Report]:
        """What takes from a report the findings that are meant."""
        project = project.overridden(self.select, self.ignore, self.baseline)
        choice = (replace(project, baseline=None) if self.write_baseline else project).choice()
        self._known.update(choice.known)

        def selected(report: Report) -> Report:
            self._reports.append(report)
            return judge.selected_findings(report, choice)

        return selected

    def unused(self) -> Iterator[Notice]:
        """A notice on each entry of a baseline whose bug none of the reports until then has."""
        yield from judge.unused_entries(self._known, self._reports, text_at)


def save_baseline(path: Path, reports: list[Report], notices: list[Notice]) -> NoReturn:
    """Write the findings to a file, and exit: 0, or as reports do that could not judge."""
    path.write_text(judge.write_baseline(reports), encoding="utf-8")
    findings = judge.count(sum(len(report.findings) for report in reports), "finding")
    click.echo(f"{path} holds {findings}. With --baseline {path}, only what is new is told.")
    sys.exit(exit_code(print_unjudged(reports, notices)))
