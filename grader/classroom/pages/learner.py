"""A learner's page: the feedback on each answer, as the learner would see it."""

from __future__ import annotations

from grader.classroom.gradebook import LOOK, Gradebook, Result
from grader.classroom.pages.document import document, name, table
from grader.classroom.pages.outcomes import told
from grader.render.html import fragment, text


def learner_page(book: Gradebook, learner: str) -> str:
    """The whole page."""
    results = book.of_learner(learner)
    body = [
        '<p><a href="index.html">The class</a></p>',
        f"<h1>{name(learner)}</h1>",
        f"<p>{text(_summary(results))}</p>",
        table(
            ["Exercise", "Result", "Points"],
            [_row(result) for result in results],
            ["short", "short", "number"],
        ),
    ]
    for result in results:
        body += _section(result)
    return document(learner, body)


def _summary(results: tuple[Result, ...]) -> str:
    score = sum(result.score for result in results)
    most = sum(result.max_score for result in results)
    passed = sum(result.verdict == "passed" for result in results)
    look = sum(result.is_unsettled for result in results)
    summary = f"{score} of {most} points; {passed} of {len(results)} exercises passed."
    if look:
        return f"{summary} {look} cannot be told by the grader alone: a person should look."
    return summary


def _row(result: Result) -> list[str]:
    number, title = text(result.rubric.number), text(result.rubric.title)
    points = "" if result.mark is None else f"{result.mark}/{result.max_score}"
    return [f'<a href="#e{number}">{number} {title}</a>', told(result), points]


def _section(result: Result) -> list[str]:
    number = text(result.rubric.number)
    heading = f'<h2 id="e{number}">{number} {text(result.rubric.title)}</h2>'
    if result.entry is None:
        return [heading, f'<p class="quiet">{text(result.explanation)}</p>']
    entry = result.entry
    facts = [f"File: {entry.file}"]
    if entry.handed_in:
        facts.append(f"handed in {entry.handed_in}{', late' if entry.late else ''}")
    elif entry.late:
        facts.append("late")
    look = f"<p><b>{text(LOOK)}</b></p>" if result.is_unsettled else ""
    return [heading, f'<p class="quiet">{text("; ".join(facts))}</p>', look, fragment(entry.report)]
