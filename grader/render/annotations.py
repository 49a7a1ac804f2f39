"""A report as GitHub's workflow commands: each finding stands at its line of the changed file."""

from __future__ import annotations

from collections.abc import Iterable

from grader.render.parts import check_word, explained_by, file_of, headline, visible
from grader.schema import Finding, Notice, Report

KINDS = {2: "error", 3: "warning"}  # by exit code


def to_annotations(reports: list[Report], notices: Iterable[Notice] = ()) -> str:
    """A command a line; what a learner wrote is data in it, and never a command of its own."""
    lines = [line for report in reports for line in _lines(report)]
    for notice in notices:
        kind = KINDS.get(notice.exit_code, "notice")
        lines.append(_command(kind, "", 0, notice.title, notice.message))
    return "\n".join(lines)


def _lines(report: Report) -> list[str]:
    lines = [_finding(report, finding) for finding in report.findings]
    for check in report.checks:
        if check_word(check) == "failed":
            lines.append(_command("error", report.source, 0, check.name, check.message))
    if kind := KINDS.get(report.exit_code):
        lines.append(_command(kind, report.source, 0, headline(report), report.message))
    return lines or [_command("notice", report.source, 0, headline(report), report.title)]


def _finding(report: Report, finding: Finding) -> str:
    message = f"{finding.message}\nFix: {finding.fix}"
    if more := explained_by(finding):
        message += f"\nMore: {more}"
    title = f"{finding.code} {finding.where}"
    file = file_of(report, finding)
    return _command(finding.severity, file, finding.line, title, message)


def _command(kind: str, file: str, line: int, title: str, message: str) -> str:
    properties = {"file": file, "line": str(line) if line else "", "title": title}
    listed = ",".join(f"{name}={_property(value)}" for name, value in properties.items() if value)
    return f"::{kind} {listed}::{_data(message)}"


def _data(text: str) -> str:
    return visible(text).replace("%", "%25").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
