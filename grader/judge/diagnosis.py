"""Findings: every rule asked in turn, each fault told once."""

from __future__ import annotations

from collections.abc import Iterable

from grader.evidence import Evidence
from grader.judge.report import Finding
from grader.judge.rules.devices import hard_coded
from grader.judge.rules.registration import emptied, registration
from grader.judge.rules.roles import roles
from grader.judge.rules.strays import explain
from grader.judge.rules.texts import texts
from grader.rubrics import Rubric


def diagnose(evidence: Evidence, rubric: Rubric) -> tuple[Finding, ...]:
    """What is wrong, causes before symptoms, by line within a severity."""
    shown = [finding for run in evidence.runs for finding in explain(run, evidence)]
    findings = [
        *texts(evidence),
        *emptied(evidence),
        *hard_coded(evidence),
        *shown,
        *registration(evidence),
        *roles(evidence, rubric),
    ]
    return each_place_once(findings)


def each_place_once(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """The first finding at each place; errors first, then by line."""
    return tuple(sorted(_first_per_place(findings), key=_order))


def _first_per_place(findings: Iterable[Finding]) -> Iterable[Finding]:
    seen: list[str] = []
    for finding in findings:
        if not any(_within(finding.where, place) for place in seen):
            seen.append(finding.where)
            yield finding


def _within(where: str, place: str) -> bool:
    """Whether `self.layers[0].weight` lies in `self.layers`, say."""
    return where == place or where.startswith((f"{place}.", f"{place}["))


def _order(finding: Finding) -> tuple[bool, int]:
    return finding.severity == "warning", finding.line
