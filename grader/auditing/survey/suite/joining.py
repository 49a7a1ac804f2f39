"""Joins the entries of one class: of its configurations, and of several processes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import groupby

from grader.auditing.survey.survey import OUTCOMES, Entry
from grader.schema import Finding


def joined(entries: Iterable[Entry]) -> tuple[Entry, ...]:
    """One entry for each class: that of the worst outcome, with the findings of all."""

    def by_name(entry: Entry) -> str:
        return entry.name

    ordered = sorted(entries, key=by_name)
    return tuple(_one(list(group)) for _, group in groupby(ordered, by_name))


def _one(entries: list[Entry]) -> Entry:
    worst = min(entries, key=lambda entry: OUTCOMES.index(entry.outcome))
    if worst.report is None:
        return worst
    found: dict[tuple[str, str, int], Finding] = {}
    for entry in (worst, *entries):
        for finding in entry.report.findings if entry.report else ():
            found.setdefault((finding.code, finding.where, finding.line), finding)
    # `sorted` keeps the order of equals: errors first, as the judge gives them.
    findings = tuple(sorted(found.values(), key=lambda finding: finding.severity))
    return replace(worst, report=replace(worst.report, findings=findings))
