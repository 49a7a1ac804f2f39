"""What a learner reads in a report, as lines that are the same in every run."""

import re
from collections.abc import Iterator

from grader.schema.report import Report

# What differs from run to run: the random numbers, and how many of them are wrong.
_NUMBERS = (
    (r"-?(\d+\.\d+(e[+-]?\d+)?|\d+e[+-]?\d+)", "#"),
    (r"standard deviation is \d+", "standard deviation is #"),
    (r"\d+ of \d+ numbers", "# of # numbers"),
)
_FIRST = (r"the first is [^;)]+; expected: [^;)]+\)", "the first is #; expected: #)")


def wording(report: Report) -> Iterator[str]:
    """What a report says of checks and findings, without what differs from run to run."""
    for check in report.checks:
        if check.status != "run":
            yield f"{check.status} {check.name}"
        elif not check.passed:
            yield f"✗ {check.name}: {_steady(check.message)}"
    for finding in report.findings:
        yield f"{finding.severity} {finding.code} {finding.where}"
        yield f"    > {finding.source_line}"
        yield f"    {_steady(finding.message)}"
        yield f"    Fix: {finding.fix}"


def _steady(text: str) -> str:
    for pattern, sign in (_FIRST, *_NUMBERS):
        text = re.sub(pattern, sign, text)
    return text
