"""The words and signs that every face of a report shares, and how long lines of them break."""

from __future__ import annotations

import re
from collections.abc import Iterator
from textwrap import fill
from typing import Literal

from grader.judge import UNUSED, count
from grader.schema import Check, Finding, Report, Verdict

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
AUDIT_HEADLINES: dict[Verdict, str] = {
    "not_defined": "NOTHING TO AUDIT",
    "cannot_grade": "CANNOT BE AUDITED",
}
Mood = Literal["good", "doubt", "bad", "open"]
SIGNS: dict[Mood, str] = {"good": "✓", "doubt": "!", "bad": "✗", "open": "○"}
# Also what turns the direction of a line round, and the two code points that are no characters.
MOST_QUOTED = 200  # characters of a line
_CONTROL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)
_CODE = re.compile(r"(`[^`]+`)")


def is_audit(report: Report) -> bool:
    """Whether there was no rubric, and so are no points."""
    return not report.max_score


def mood(report: Report) -> Mood:
    """How it looks on the whole; a starter that nobody changed is no mistake."""
    if report.verdict == "not_attempted":
        return "open"
    if report.verdict != "passed":
        return "bad"
    is_doubtful = report.findings or report.left_out or not report.is_called
    return "doubt" if is_audit(report) and is_doubtful else "good"


def check_mood(report: Report, check: Check) -> Mood:
    if check.status != "run" or mood(report) == "open":
        return "open"
    return "good" if check.passed else "bad"


def check_word(check: Check) -> str:
    """`passed`, `failed`, `not run` or `not counted`."""
    if check.status != "run":
        return check.status
    return "passed" if check.passed else "failed"


def finding_mood(report: Report, finding: Finding) -> Mood:
    if mood(report) == "open":
        return "open"
    return "bad" if finding.severity == "error" else "doubt"


def headline(report: Report) -> str:
    """`NOT YET - 1 of 2 faults fixed, 2 of 6 points`; of an audit `FOUND 1 error, 2 warnings`."""
    if is_audit(report):
        return _audit_headline(report)
    points = f"{report.score} of {report.max_score} points" if report.checks else ""
    said = ", ".join(filter(None, (report.fixed, points)))
    return HEADLINES[report.verdict] + (f" - {said}" if said else "")


def told_checks(report: Report) -> list[Check]:
    """The checks of which there is something to say."""
    return [check for check in report.checks if check.reason]


def passed_checks(report: Report) -> str:
    """The names of the checks of a report that passes: nothing is to be said of each."""
    return ", ".join(check.name for check in report.checks if report.verdict == "passed")


def findings_title(report: Report) -> str:
    errors = any(finding.severity == "error" for finding in report.findings)
    return "What is wrong, and why" if errors else "What to explain or fix"


def fixes_to_come(report: Report) -> str:
    """What stands in the place of the fixes; `""` where they are shown, or there are none."""
    if report.shows_fixes or not report.findings:
        return ""
    return "How to fix it is shown after the last hint."


def findings_with_help(report: Report) -> Iterator[tuple[Finding, str]]:
    """Each finding, and the command that explains it, where its code comes for the first time."""
    seen: set[str] = set()
    for finding in report.findings:
        yield finding, "" if finding.code in seen else explained_by(finding)
        seen.add(finding.code)


def explained_by(finding: Finding) -> str:
    """The command that explains it; `""` where nothing more is to be said."""
    return "" if finding.code == UNUSED else f"grader explain {finding.code}"


def device_text(report: Report) -> str:
    return "judged on no device" if report.device == "none" else f"judged on {report.device}"


def position(report: Report, finding: Finding) -> str:
    """Where to look: `exercises/03_member_tensors.py:24`, or the line of a cell."""
    file = file_of(report, finding)
    if not finding.line:
        return file
    cell = file.strip("<>") if file.startswith("<") else "" if file else "the cell"
    return f"line {finding.line} of {cell}" if cell else f"{file}:{finding.line}"


def file_of(report: Report, finding: Finding) -> str:
    """The file that the finding's line is in, as it should be printed; `""` of the own cell."""
    return finding.file or report.source


def points(check: Check) -> str:
    """`2/2`, or of a check that was not run `not run`."""
    return check.status if check.status != "run" else f"{check.points}/{check.max_points}"


def visible(text: str) -> str:
    """`text` without the control characters that a message of a learner may send a terminal."""
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", text)


def quoted(line: str) -> str:
    """A learner's line, visible; a very long one, such as a table of numbers, is cut."""
    return visible(line if len(line) <= MOST_QUOTED else f"{line[:MOST_QUOTED]}…")


def spans(text: str) -> Iterator[tuple[str, bool]]:
    """`text` in pieces, each with whether it is code: what stands between backticks."""
    for piece in _CODE.split(text):
        if piece:
            yield piece, bool(_CODE.fullmatch(piece))


def _audit_headline(report: Report) -> str:
    if report.verdict not in ("passed", "failed"):
        return AUDIT_HEADLINES.get(report.verdict, HEADLINES[report.verdict])
    errors = sum(finding.severity == "error" for finding in report.findings)
    counts = ((errors, "error"), (len(report.findings) - errors, "warning"))
    found = ", ".join(count(number, noun) for number, noun in counts if number)
    limits = _limits(report)
    outcome = f"FOUND {found}" if found else "NOTHING FOUND" if limits else "CLEAN"
    meant = f"{report.meant} meant" if report.meant else ""
    return ", ".join(filter(None, (outcome, meant, limits)))


def _limits(report: Report) -> str:
    """What an audit did not do, so that its findings may not be all; `""` if it did everything."""
    if not report.is_called:
        return "never called"
    return f"{count(len(report.left_out), 'step')} left out" if report.left_out else ""


# How a line begins; the lines that it is continued in begin with as many spaces.
LEAD = re.compile(r" *(?:[A-Z]\. |[✓✗] )?")


def wrap_lines(text: str, width: int) -> str:
    """The same text in lines of at most `width` characters; a longer word has a line of its own."""
    return "\n".join(
        fill(
            line,
            width,
            subsequent_indent=" " * len(LEAD.findall(line)[0]),
            break_long_words=False,
            break_on_hyphens=False,
        )
        for line in text.splitlines()
    )
