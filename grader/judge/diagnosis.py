"""Findings: every rule asked in turn, each fault told once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from grader.evidence import Evidence
from grader.judge.fixes import MAY_BE_MEANT, with_fixes
from grader.judge.report import Finding
from grader.judge.rules.default_device import default_device_blamed
from grader.judge.rules.devices import hard_coded, put_by_name
from grader.judge.rules.journey import (
    adoption,
    changed_numbers,
    journey,
    replica,
    transfer,
)
from grader.judge.rules.overrides import overridden, registered_left_behind
from grader.judge.rules.registration import emptied, registration
from grader.judge.rules.roles import roles
from grader.judge.rules.silent import (
    hidden_modes,
    lost,
    moved_on_cuda,
    optimizers,
    parted_ties,
    trained_buffers,
    untrained,
)
from grader.judge.rules.strays import explain
from grader.judge.rules.texts import texts
from grader.judge.wording import listed
from grader.rubrics import Rubric


def diagnose(evidence: Evidence, rubric: Rubric, text: str = "") -> tuple[Finding, ...]:
    """What is wrong, causes before symptoms, by line within a severity.

    Args:
        evidence: what the probe saw.
        rubric: what the exercise asks.
        text: the learner's file, for the fixes.
    """
    behind = registered_left_behind(evidence)  # which is the override's fault, not theirs
    explained = (finding for run in evidence.runs for finding in explain(run, evidence))
    shown = [finding for finding in explained if finding.where not in behind]
    findings = [
        *texts(evidence),
        *emptied(evidence),
        *hard_coded(evidence),
        *(() if evidence.audit else overridden(evidence)),
        *shown,
        *registration(evidence),
        *roles(evidence, rubric),
    ]
    if evidence.audit:
        findings += [each for each in audit_findings(evidence.audit) if each.severity == "error"]
    findings += put_by_name(evidence)
    blamed = each_place_once(default_device_blamed(findings, text))
    return tuple(with_fixes(blamed, evidence, text, rubric))


def audit_findings(evidence: Evidence) -> Iterator[Finding]:
    """What an audit shows: errors where running the module showed harm, else warnings."""
    yield from texts(evidence)
    yield from emptied(evidence)
    yield from moved_on_cuda(evidence)
    shown = [*journey(evidence), *untrained(evidence)]
    yield from shown
    yield from transfer(evidence)
    yield from adoption(evidence)
    yield from hidden_modes(evidence)
    yield from parted_ties(evidence)
    yield from optimizers(evidence)
    yield from trained_buffers(evidence)
    if not shown:  # else these are its consequences
        yield from changed_numbers(evidence)
        yield from lost(evidence)
    yield from _left_behind(evidence)
    yield from replica(evidence)


def _left_behind(evidence: Evidence) -> Iterator[Finding]:
    """Warnings: unregistered tensors that a call reads, though nothing was seen to go wrong."""
    facts = evidence.tensors
    used = {place for fact in facts if fact.used for place in _holding(fact.path)}
    for finding in registration(evidence, "warning"):
        if finding.where in used:
            fix = f"{MAY_BE_MEANT}{finding.fix}"
            yield replace(finding, severity="warning", fix=fix)


def each_place_once(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """The first finding at each place, one for each container; errors first, then by line."""
    return tuple(sorted(_one_per_container(_first_per_place(findings)), key=_order))


def _first_per_place(findings: Iterable[Finding]) -> Iterable[Finding]:
    seen: dict[str, str] = {}
    for finding in findings:
        places = set(_holding(finding.where))
        inside = any(
            finding.where in _holding(place) and code == finding.code
            for place, code in seen.items()
        )
        if places.isdisjoint(seen) and not inside:
            seen[finding.where] = finding.code
            yield finding


def _one_per_container(findings: Iterable[Finding]) -> Iterator[Finding]:
    """The first of several findings that one line makes in one container, which it then names."""
    groups: dict[tuple[str, str, int], list[Finding]] = {}
    for finding in findings:
        container = _container(finding.where)
        key = (finding.severity, container or finding.where, finding.line if container else 0)
        groups.setdefault(key, []).append(finding)
    for (_, container, _), (first, *others) in groups.items():
        if not others:
            yield first
            continue
        more = f" In `{container}`, the same holds for {listed([each.where for each in others])}."
        yield replace(first, message=first.message + more)


def _container(where: str) -> str:
    """`self.layers` of `self.layers[0].weight`, `self.heads` of `self.heads.age`; `""` of none."""
    if not where.startswith("self."):
        return ""
    container = where.split("[")[0] if "[" in where else where.rpartition(".")[0]
    return "" if container == "self" else container


def _holding(where: str) -> Iterator[str]:
    """`self.layers[0].weight`, `self.layers[0]`, `self.layers` and `self`, say."""
    yield where
    yield from (where[:i] for i, character in enumerate(where) if character in ".[")


def _order(finding: Finding) -> tuple[bool, int]:
    return finding.severity == "warning", finding.line
