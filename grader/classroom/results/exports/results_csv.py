"""All there is to know about each result, for a spreadsheet: a row a learner and exercise."""

from __future__ import annotations

from collections.abc import Sequence

from grader.classroom.results.exports.tables import Cell, to_csv
from grader.classroom.results.gradebook import NOT_ENROLLED, Gradebook, Result
from grader.judge.report import Report

COLUMNS = (
    "learner",
    "learner_id",
    "section",
    "group",
    "exercise",
    "title",
    "verdict",
    "needs_a_person",
    "score",
    "max_score",
    "late",
    "handed_in",
    "findings",
    "flags",
    "message",
    "device",
    "isolation",
    "seconds",
    "file",
    "submission",
    "rubric",
)


def results_csv(book: Gradebook) -> str:
    """The whole file."""
    return to_csv([COLUMNS, *(_row(book, result) for result in book.results())])


def _row(book: Gradebook, result: Result) -> Sequence[Cell]:
    rubric, entry = result.rubric, result.entry
    mark: Cell = "" if result.mark is None else result.mark
    enrolled = book.enrolled.get(result.learner, NOT_ENROLLED)
    who = (
        result.learner,
        book.ids.get(result.learner, ""),
        enrolled.section,
        enrolled.group,
    )
    what = (rubric.number, rubric.title, result.verdict)
    marks = (_yes(result.needs_a_person), mark, result.max_score, _yes(result.is_late))
    if entry is None:
        return (*who, *what, *marks, "", "", "", result.explanation, "", "", "", "", "", "")
    return (
        *who,
        *what,
        *marks,
        entry.handed_in,
        _findings(entry.report),
        "; ".join(f"{flag.kind}: {flag}" for flag in result.flags),
        result.explanation if result.is_unsettled or result.marked else entry.report.message,
        entry.device,
        entry.isolation,
        round(entry.seconds, 3),
        entry.file,
        entry.submission,
        entry.rubric,
    )


def _findings(report: Report) -> str:
    return "; ".join(
        f"{finding.code} {finding.where} (line {finding.line})" for finding in report.findings
    )


def _yes(fact: bool) -> str:
    return "yes" if fact else "no"
