"""From evidence to findings: every rule is asked once, and each fault is told once.

1. The rules give their sightings in the order of precedence (`codes.py`); a rule gives first what
   an exception's text tells, then what the calls show, then what it can find by itself.
2. Consequences are left out where a call or a gradient has shown their cause.
3. Errors before warnings, the first finding at each place is kept (`each_place_once`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from grader.evidence import Evidence
from grader.judge.attribution import Shown
from grader.judge.codes import Code
from grader.judge.default_device import default_device_blamed
from grader.judge.findings import RULES, Facts, Sighting
from grader.judge.fixes import with_fixes
from grader.judge.lookups import holding
from grader.judge.report import Finding
from grader.judge.wording import listed
from grader.rubrics import Rubric

CAUSES = (Shown.CALL, Shown.GRADIENT)
CONSEQUENCES = (Shown.NUMBERS, Shown.RELOAD)


def sightings(evidence: Evidence, rubric: Rubric | None = None) -> tuple[Sighting, ...]:
    """What every rule finds, in the order of precedence.

    Args:
        evidence: what the probe saw.
        rubric: what the exercise asks, None in an audit.
    """
    facts = Facts.of(evidence, rubric)
    return tuple(seen for rule in RULES.values() for seen in rule.find(facts))


def diagnose(
    evidence: Evidence, rubric: Rubric, audited: tuple[Sighting, ...] = (), text: str = ""
) -> tuple[Finding, ...]:
    """What is wrong with an exercise, causes before symptoms, by line within a severity.

    Args:
        evidence: what the probe saw.
        rubric: what the exercise asks.
        audited: the sightings of the audit that the exercise asks for.
        text: the learner's file, for the fixes.
    """
    own = _unasked(sightings(evidence, rubric), rubric)
    shown = _errors(_without_consequences(audited), rubric)
    findings = each_place_once(default_device_blamed([*own, *shown], text))
    return tuple(with_fixes(findings, evidence, text, rubric))


def _unasked(seen: Iterable[Sighting], rubric: Rubric) -> Iterator[Finding]:
    """Without devices that are named where the exercise asks the module to choose one."""
    asked = Code.HARD_CODED_DEVICE if "gpu" in rubric.recipe.elsewhere else None
    return (each.finding for each in seen if each.finding.code != asked)


def _errors(audited: Iterable[Finding], rubric: Rubric) -> Iterator[Finding]:
    """The audit's errors; its warning of replicas is one where the exercise speaks of them."""
    meant = Code.REPLICA if "replica" in rubric.recipe.elsewhere else None
    for finding in audited:
        if finding.severity == "error" or finding.code == meant:
            yield replace(finding, severity="error")


def diagnose_audit(evidence: Evidence, text: str = "") -> tuple[Finding, ...]:
    """What an audit shows: errors where running the module showed harm, else warnings."""
    findings = each_place_once(_without_consequences(sightings(evidence)))
    return tuple(with_fixes(findings, evidence, text))


def _without_consequences(seen: tuple[Sighting, ...]) -> Iterator[Finding]:
    is_explained = any(each.shown in CAUSES for each in seen)
    for each in seen:
        if not (is_explained and each.shown in CONSEQUENCES):
            yield each.finding


def each_place_once(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """The first finding at each place, one for each container; errors first, then by line."""
    by_severity = sorted(findings, key=_is_warning)
    return tuple(sorted(_one_per_container(_first_per_place(by_severity)), key=_order))


def _first_per_place(findings: Iterable[Finding]) -> Iterator[Finding]:
    seen: dict[str, str] = {}
    for finding in findings:
        places = set(holding(finding.where))
        inside = any(
            finding.where in holding(place) and code == finding.code for place, code in seen.items()
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


def _is_warning(finding: Finding) -> bool:
    return finding.severity == "warning"


def _order(finding: Finding) -> tuple[bool, int]:
    return _is_warning(finding), finding.line
