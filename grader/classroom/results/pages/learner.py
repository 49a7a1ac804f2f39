"""A learner's page: the feedback on each answer, as the learner would see it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

from grader.classroom.results.gradebook import LOOK, Result, Total
from grader.classroom.results.late_policy import in_zone, rounded
from grader.classroom.results.ledger import Entry
from grader.classroom.results.pages.document import answer, page
from grader.render import fragment


def feedback_page(totals: Sequence[Total]) -> str:
    """A page on one learner's answers, which stands alone."""
    results = [result for total in totals for result in total.results]
    return page(
        "learner.html",
        learner=totals[0].learner,
        summary=_summary(totals, results),
        totals=totals,
        results=results,
        facts=_facts,
        look=LOOK,
        feedback=_feedback,
        lines=answer,
    )


def _feedback(result: Result) -> str:
    """The report on an answer, after the deadline without the advice to ask for a hint."""
    if result.entry is None:
        return ""
    report, due = result.entry.report, result.terms.due
    is_over = due is not None and due < datetime.now(UTC)
    return fragment(replace(report, next_step="") if is_over else report)


def _summary(totals: Sequence[Total], results: Sequence[Result]) -> str:
    score = rounded(sum(total.earned for total in totals))
    most = rounded(sum(total.item.points for total in totals))
    passed = sum(result.verdict == "passed" for result in results)
    look = sum(result.is_unsettled for result in results)
    exercises = "exercise" if len(results) == 1 else "exercises"
    summary = f"{score} of {most} points; {passed} of {len(results)} {exercises} passed."
    if look:
        return f"{summary} {look} cannot be told by the grader alone: a person should look."
    return summary


def _facts(result: Result, entry: Entry) -> str:
    facts = [f"File: {entry.file}"]
    if entry.handed_in:
        when, zone = datetime.fromisoformat(entry.handed_in), result.terms.zone
        when = when.astimezone(zone) if zone else when
        facts.append(f"handed in {in_zone(when)}{', late' if result.is_late else ''}")
    elif result.is_late:
        facts.append("late")
    return "; ".join(facts)
