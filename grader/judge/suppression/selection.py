"""Takes from a report what a project says is meant: by a comment, by its code, or by a baseline."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from grader.judge.fixes import SourceFile
from grader.judge.suppression.baseline import Known, known_by
from grader.judge.suppression.comments import Comment, comments_on, unused_comments
from grader.schema import Finding, Report


@dataclass(frozen=True)
class Selection:
    """Which findings a project wants to be told.

    Attributes:
        select: the only codes that count; all, if empty.
        ignore: codes that do not count.
        known: the findings of its baseline.
    """

    select: frozenset[str] = frozenset()
    ignore: frozenset[str] = frozenset()
    known: frozenset[Known] = frozenset()

    def wants(self, report: Report, finding: Finding) -> bool:
        selected = not self.select or finding.code in self.select
        is_new = not self.known or known_by(report, finding) not in self.known
        return selected and finding.code not in self.ignore and is_new


def selected_findings(report: Report, choice: Selection) -> Report:
    """The report with the findings of a choice; without an error among them, it passes."""
    return _with_only(report, lambda finding: choice.wants(report, finding))


def without_suppressed(report: Report, files: Iterable[SourceFile]) -> Report:
    """The report without findings that a comment marks, and with a warning of unused comments.

    Args:
        report: of an audit. A comment in a class that is none of its may well be used.
        files: that its classes are in, named as in findings; the report's own file, too.
    """
    by_name = {code.name: code for code in files}
    used: set[tuple[str, int]] = set()

    def is_unmarked(finding: Finding) -> bool:
        code = by_name.get(finding.file or report.source)
        comments: list[Comment] = comments_on(finding, code) if code else []
        used.update((code.name, comment.line) for comment in comments if code)
        return not comments

    shown = _with_only(report, is_unmarked)
    if not report.is_complete:
        return shown  # what was not looked at may have needed its comment
    unused = unused_comments(by_name.values(), report.classes or (), used)
    return replace(shown, findings=(*shown.findings, *unused))


def _with_only(report: Report, is_shown: Callable[[Finding], bool]) -> Report:
    findings = tuple(filter(is_shown, report.findings))
    meant = report.meant + len(report.findings) - len(findings)
    is_failure = any(finding.severity == "error" for finding in findings)
    verdict = "passed" if report.verdict == "failed" and not is_failure else report.verdict
    return replace(report, findings=findings, verdict=verdict, meant=meant)
