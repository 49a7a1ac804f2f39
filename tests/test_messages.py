"""What a learner reads who made a declared mistake: the messages, and points that agree with them.

python -m pytest --refresh-golden tests/test_messages.py
"""

import re
from collections.abc import Iterator

import pytest
from declared import starter_and_mistakes

from grader.catalog import stems
from grader.judge.report import Report

# What differs from run to run: the random numbers, and how many of them are wrong.
_NUMBERS = (
    (r"-?(\d+\.\d+(e[+-]?\d+)?|\d+e[+-]?\d+)", "#"),
    (r"\d+ of \d+ numbers", "# of # numbers"),
)
_FIRST = (r"the first is [^;)]+; wanted: [^;)]+\)", "the first is #; wanted: #)")


@pytest.mark.parametrize("stem", stems())
def test_the_messages_are_those_that_were_read(stem, tmp_path, golden):
    lines = []
    for name, text, judge in starter_and_mistakes(stem, tmp_path):
        report = judge(text)
        assert report.verdict != "passed"
        assert report.score < report.max_score, name
        assert not all(check.passed and check.status == "run" for check in report.checks), name
        lines += [f"=== {name}: {report.verdict}", *_told(report), ""]

    golden(f"messages_{stem}", "\n".join(lines))


def _told(report: Report) -> Iterator[str]:
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
