"""All there is to know about each result, for a spreadsheet: a row a learner and exercise."""

from __future__ import annotations

from collections.abc import Sequence

from grader.classroom.results.exports.tables import Cell, to_csv
from grader.classroom.results.gradebook import Gradebook, Result, Total
from grader.schema import Report

COLUMNS = (
    *("learner", "learner_id", "email", "section", "group", "exercise", "title", "verdict"),
    *("needs_a_person", "score", "max_score", "mark", "late", "due", "arithmetic", "handed_in"),
    *("findings", "flags", "message", "comments", "device", "isolation", "seconds", "file"),
    *("submission", "rubric", "assignment", "assignment_mark"),
)


def results_csv(book: Gradebook) -> str:
    totals = [total for learner in book.learners for total in book.totals(learner)]
    rows = ((*_row(book, r), *_total(total)) for total in totals for r in total.results)
    return to_csv([COLUMNS, *rows])


def _total(total: Total) -> Sequence[Cell]:
    return total.item.name, "" if total.mark is None else total.mark


def _row(book: Gradebook, result: Result) -> Sequence[Cell]:
    rubric, entry, person = result.rubric, result.entry, book.person(result.learner)
    learner_id = book.ids.get(result.learner, "")
    who = (result.learner, learner_id, person.email, person.section, person.group)
    what = (rubric.number, rubric.title, result.verdict)
    marks = (
        _yes(result.needs_a_person),
        "" if result.mark is None else result.score,
        result.max_score,
        "" if result.mark is None else result.mark,
        _yes(result.is_late),
        result.terms.due.isoformat(timespec="minutes") if result.terms.due else "",
        result.arithmetic,
    )
    if entry is None:
        return (*who, *what, *marks, "", "", "", result.explanation, "", "", "", "", "", "", "")
    return (
        *who,
        *what,
        *marks,
        entry.handed_in,
        _findings(entry.report),
        "; ".join(f"{flag.kind}: {flag}" for flag in result.flags),
        result.explanation if result.is_unsettled or result.marked else entry.report.message,
        "\n".join(map(str, result.comments)),
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
