"""What a project says is meant: comments on statements, codes, and a baseline."""

import json

import pytest

from grader.judge.fixes import SourceFile
from grader.judge.suppression.baseline import (
    BaselineError,
    Known,
    known_by,
    read_baseline,
    write_baseline,
)
from grader.judge.suppression.comments import comments_on
from grader.judge.suppression.selection import Selection, selected_findings, without_suppressed
from grader.schema import Location
from grader.schema.report import Finding, Report

SOURCE = """\
class Net(nn.Module):
    def __init__(self):
        self.before = 0  # grader: ignore[replica]
        self.mask = torch.ones(
            3,
        )  # grader: ignore[member-tensor]
        # grader: ignore[replica]
        # grader: ignore[member-tensor, stale-device]
        self.table = torch.ones(3)
        self.after = 0
        if self.after:  # grader: ignore[host-round-trip]
            self.inside = 0
"""


def finding(code="member-tensor", line=4, severity="error", **changes):
    return Finding(code, severity, f"self.at_{line}", line, "what", "fix", **changes)


def report(*findings, **changes):
    return Report("failed", "cuda:0 (simulated)", source="net.py", findings=findings, **changes)


@pytest.mark.parametrize(
    ("code", "line", "marked_by"),
    [
        ("member-tensor", 4, [6]),  # a statement's first line, with the comment behind its last
        ("member-tensor", 5, [6]),
        ("member-tensor", 9, [8]),  # comments that are alone, above each other
        ("stale-device", 9, [8]),
        ("replica", 9, [7]),
        ("replica", 4, []),  # the one above has a statement of its own
        ("member-tensor", 10, []),  # and holds for one statement
        ("replica", 0, []),  # no line, no comment
        ("host-round-trip", 11, [11]),  # of a block, the line alone
        ("host-round-trip", 12, []),
    ],
)
def test_a_comment_marks_its_statement_or_the_one_below(code, line, marked_by):
    found = comments_on(finding(code, line), SourceFile(SOURCE, "net.py"))

    assert [comment.line for comment in found] == marked_by


def test_each_comment_that_marks_nothing_is_told_and_the_rest_counted():
    judged = report(
        finding(line=4),
        finding("replica", 9, "warning"),
        finding("replica", 10),
        meant=2,
        classes=(Location("Net", file="net.py"),),
    )

    left = without_suppressed(judged, [SourceFile(SOURCE, "net.py")])

    assert [(finding.code, finding.line) for finding in left.findings] == [
        ("replica", 10),
        ("unused-ignore", 3),
        ("unused-ignore", 8),
        ("unused-ignore", 11),
    ]
    assert (left.verdict, left.meant) == ("failed", 4)


@pytest.mark.parametrize(
    ("choice", "left", "verdict"),
    [
        (Selection(), ["member-tensor", "replica", "replica"], "failed"),
        (Selection(select=frozenset({"replica"})), ["replica", "replica"], "passed"),
        (Selection(ignore=frozenset({"replica"})), ["member-tensor"], "failed"),
        (Selection(select=frozenset({"replica"}), ignore=frozenset({"replica"})), [], "passed"),
        (
            Selection(known=frozenset({Known("net.py", "replica", "self.at_9", "")})),
            ["member-tensor", "replica"],
            "failed",
        ),
    ],
)
def test_codes_and_a_baseline_choose_what_counts(choice, left, verdict):
    judged = report(
        finding(), finding("replica", 9, "warning"), finding("replica", 10, "warning"), meant=2
    )

    found = selected_findings(judged, choice)

    assert [finding.code for finding in found.findings] == left
    assert (found.verdict, found.meant) == (verdict, 5 - len(left))


def test_a_baseline_knows_a_finding_wherever_its_line_is():
    installed = finding(file="/env/lib/site-packages/lib/layers.py", source_line="self.x = x")
    call = Finding("replica", "warning", "the call in line 7", 7, "what", "fix")

    text = write_baseline([report(installed, call)])

    assert read_baseline(text, "known.json") == {
        Known("lib/layers.py", "member-tensor", "self.at_4", "self.x = x"),
        Known("net.py", "replica", "the call in line", ""),
    }
    assert known_by(report(), Finding("replica", "warning", "the call in line 9", 9, "", "")) in (
        read_baseline(text, "known.json")
    )


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "[]",
        "{}",
        json.dumps({"format": 2, "findings": []}),
        json.dumps({"format": 1, "findings": [{"file": "net.py"}]}),
    ],
)
def test_what_is_no_baseline_is_refused_with_the_way_to_write_one(text):
    with pytest.raises(BaselineError, match=r"--write-baseline known\.json"):
        read_baseline(text, "known.json")
