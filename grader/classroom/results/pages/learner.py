"""A learner's page: the feedback on each answer, as the learner would see it."""

from __future__ import annotations

from grader.classroom.results.gradebook import LOOK, Gradebook, Result
from grader.classroom.results.ledger import Entry
from grader.classroom.results.pages.document import page
from grader.render.html import fragment


def learner_page(book: Gradebook, learner: str) -> str:
    """The whole page."""
    results = book.of_learner(learner)
    return page(
        "learner.html",
        learner=learner,
        summary=_summary(results),
        results=results,
        facts=_facts,
        look=LOOK,
        fragment=fragment,
    )


def _summary(results: tuple[Result, ...]) -> str:
    score = sum(result.score for result in results)
    most = sum(result.max_score for result in results)
    passed = sum(result.verdict == "passed" for result in results)
    look = sum(result.is_unsettled for result in results)
    summary = f"{score} of {most} points; {passed} of {len(results)} exercises passed."
    if look:
        return f"{summary} {look} cannot be told by the grader alone: a person should look."
    return summary


def _facts(entry: Entry) -> str:
    facts = [f"File: {entry.file}"]
    if entry.handed_in:
        facts.append(f"handed in {entry.handed_in}{', late' if entry.late else ''}")
    elif entry.late:
        facts.append("late")
    return "; ".join(facts)
