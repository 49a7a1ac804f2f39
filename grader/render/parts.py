"""The words and signs that every face of a report shares."""

from __future__ import annotations

import re
from collections.abc import Iterator

from grader.judge.report import Finding, Report, Verdict

HEADLINES: dict[Verdict, str] = {
    "passed": "PASSED",
    "failed": "NOT YET",
    "not_attempted": "NOT ATTEMPTED",
    "not_defined": "NOT DEFINED",
    "timeout": "TIME IS UP",
    "crashed": "CRASHED",
    "out_of_memory": "OUT OF MEMORY",
    "output_limit": "TOO MUCH PRINTED",
    "tampered": "TAMPERED",
    "cannot_grade": "CANNOT BE GRADED",
}
PASS_SIGN, FAIL_SIGN, WARNING_SIGN = "✓", "✗", "!"
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
_CODE = re.compile(r"(`[^`]+`)")


def sign(passed: bool) -> str:
    """A sign that needs no colour."""
    return PASS_SIGN if passed else FAIL_SIGN


def finding_sign(finding: Finding) -> str:
    """The sign of its severity."""
    return FAIL_SIGN if finding.severity == "error" else WARNING_SIGN


def headline(report: Report) -> str:
    """`NOT YET - 3 of 6 points`."""
    points = f" - {report.score} of {report.max_score} points" if report.checks else ""
    return HEADLINES[report.verdict] + points


def judged_on(report: Report) -> str:
    """The device, which every report names."""
    return "judged on no device" if report.device == "none" else f"judged on {report.device}"


def place(report: Report, finding: Finding) -> str:
    """Where to look: `exercises/03_member_tensors.py:24`, or the line of a cell."""
    if not finding.line:
        return report.source
    return (
        f"{report.source}:{finding.line}" if report.source else f"line {finding.line} of the cell"
    )


def visible(text: str) -> str:
    """`text` without the control characters that a message of a learner may send a terminal."""
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", text)


def spans(text: str) -> Iterator[tuple[str, bool]]:
    """`text` in pieces, each with whether it is code: what stands between backticks."""
    for piece in _CODE.split(text):
        if piece:
            yield piece, bool(_CODE.fullmatch(piece))
