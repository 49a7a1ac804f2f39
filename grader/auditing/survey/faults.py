"""Findings that are one fault: the same line, met in several classes."""

from __future__ import annotations

from dataclasses import dataclass

from grader.auditing.survey.survey import Entry, Survey
from grader.schema import Finding


@dataclass(frozen=True)
class Fault:
    """A finding, and the entries that have it, the first of which is quoted."""

    finding: Finding
    entries: tuple[Entry, ...]


def faults_of(survey: Survey) -> list[Fault]:
    """Each fault once, errors first, those of most entries first.

    Two findings are one fault if code, severity and line with its text agree. A finding without a
    line stands for itself.
    """
    groups: dict[tuple[object, ...], list[tuple[Finding, Entry]]] = {}
    for entry in sorted(survey.entries, key=lambda entry: entry.name):
        for finding in entry.report.findings if entry.report else ():
            position = (
                (finding.file, finding.line, finding.source_line) if finding.line else (entry.name,)
            )
            key = (finding.severity, finding.code, *position)
            groups.setdefault(key, []).append((finding, entry))
    faults = [
        Fault(found[0][0], tuple(dict.fromkeys(entry for _, entry in found)))
        for found in groups.values()
    ]
    return sorted(faults, key=lambda fault: (fault.finding.severity, -len(fault.entries)))
