"""Points that agree with the verdict: a report that does not pass never shows all of them.

1. Each error finding fails a check that it belongs to. Usually one of those has failed already;
   else the first of them that the rubric scores fails, with the finding's message.
2. In an untouched starter, a check that passes does not count.
3. Who has fixed some of the starter's faults, and made none, has that share of each failed check.
4. If the probe ended early, or could not look at everything, and every check passes all the same,
   the last one counts as not run.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from grader.judge.codes import Code
from grader.judge.findings import RULES
from grader.schema import Check, CheckName, Finding

NOT_COUNTED = "right in the starter already; it counts once you have changed the file"
NOT_FINISHED = "not run to its end"
# Fallbacks, if the rubric scores none of the checks that the finding's rule names.
ELSE: tuple[CheckName, ...] = ("forward", "training", "placement")


def settle(checks: tuple[Check, ...], findings: Iterable[Finding]) -> tuple[Check, ...]:
    """Step 1: fail a check for each error finding that no failed check reflects."""
    for finding in findings:
        if finding.severity == "error":
            checks = _fail_for(finding, checks)
    return checks


def _fail_for(finding: Finding, checks: tuple[Check, ...]) -> tuple[Check, ...]:
    names = RULES[Code(finding.code)].checks + ELSE
    candidates = sorted((c for c in checks if c.name in names), key=lambda c: names.index(c.name))
    candidates = candidates or list(checks[:1])
    if not candidates or any(not check.passed for check in candidates):
        return checks
    fails = replace(candidates[0], passed=False, points=0, message=finding.message)
    return tuple(fails if check is candidates[0] else check for check in checks)


def without_points(checks: tuple[Check, ...]) -> tuple[Check, ...]:
    """Step 2: the checks of an untouched starter, none of which earns points."""
    return tuple(
        replace(check, points=0, status="not counted", message=NOT_COUNTED)
        if check.passed
        else check
        for check in checks
    )


def share(
    checks: tuple[Check, ...], findings: Iterable[Finding], faults: tuple[str, ...]
) -> tuple[tuple[Check, ...], str]:
    """Step 3: the checks with the share of their points, and how many of `faults` are fixed."""
    left = [finding.where for finding in findings if finding.severity == "error"]
    fixed = len(faults) - len(left)
    if not left or fixed <= 0 or not set(left) <= set(faults):
        return checks, ""
    shared = (
        check
        if check.passed or check.status != "run"
        else replace(check, points=check.max_points * fixed // len(faults))
        for check in checks
    )
    return tuple(shared), f"{fixed} of {len(faults)} faults fixed"


def mark_unfinished(checks: tuple[Check, ...]) -> tuple[Check, ...]:
    """Step 4: the checks of a probe that did not complete, so that not all of them pass."""
    if not checks or not all(check.passed for check in checks):
        return checks
    *others, last = checks
    return (*others, replace(last, passed=False, points=0, message=NOT_FINISHED, status="not run"))
