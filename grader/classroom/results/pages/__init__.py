"""A class's results as pages: one for the class, one to mark on, one for each learner.

Each is one self-contained file, for a screen or for paper, light or dark.
"""

from __future__ import annotations

import base64
import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from importlib.resources import files
from typing import Any, NamedTuple, get_args

from grader.classroom.intake.submission import answer_lines
from grader.classroom.results.gradebook import LOOK, Gradebook, Result, Total, average, file_stem
from grader.classroom.results.late_policy import in_zone, rounded
from grader.classroom.results.ledger import Entry
from grader.probe import Limits
from grader.render import HEADLINES, STYLE, fragment, render_template, summaries
from grader.schema import FlagKind


class Sign(NamedTuple):
    """One of four ways an exercise can have gone; `look` is its colour in the pages' style."""

    word: str
    sign: str
    look: str


PASSED = Sign("passed", "✓", "good")
NOT_YET = Sign("not yet", "✗", "bad")
DOUBT = Sign("a person should look", "!", "doubt")
MISSING = Sign("not handed in", "-", "quiet")
OUTCOMES = (PASSED, NOT_YET, DOUBT, MISSING)


def outcome(result: Result) -> Sign:
    if result.entry is None:
        return MISSING
    if result.is_unsettled:
        return DOUBT
    is_full = result.score == result.max_score if result.marked else result.verdict == "passed"
    return PASSED if is_full else NOT_YET


def verdict_words(result: Result) -> str:
    """The verdict in words, and whether it came late."""
    words = HEADLINES[result.entry.report.verdict].lower() if result.entry else outcome(result).word
    notes = [*["late"] * result.is_late, *["marked by a person"] * bool(result.marked)]
    return f"{words} ({', '.join(notes)})" if notes else words


def page(template: str, **values: Any) -> str:
    """A whole page of a class, from a template."""
    shared = {"report_style": STYLE, "outcome": outcome, "verdict_words": verdict_words}
    return str(render_template("grader.classroom.results.pages", template, **shared, **values))


def answer(result: Result) -> list[tuple[str, list[str]]]:
    """The lines that were handed in, each with what persons say of it; none if nobody has them."""
    if result.stored is None or result.entry is None or not result.stored.exists():
        return []
    lines = answer_lines(result.stored, result.entry.file)
    return [
        (line, [comment.text for comment in result.comments if comment.line == number])
        for number, line in enumerate(lines, start=1)
    ]


KINDS = get_args(FlagKind)


class Mistake(NamedTuple):
    """One finding's code: who made it, each once, and in which exercises, by their numbers."""

    code: str
    learners: set[str]
    exercises: set[str]


def class_page(book: Gradebook) -> str:
    results, found = list(book.results()), mistakes(book)
    exercises = [
        (rubric, Counter(map(outcome, these)), average(these))
        for rubric in book.exercises
        if (these := book.of_exercise(rubric))
    ]
    return page(
        "class.html",
        book=book,
        summary=_summary(book),
        seconds=f"{Limits().seconds:.0f}",
        unsettled=[result for result in results if result.is_unsettled],
        flagged=_flagged(results),
        missing=book.missing(),
        outcomes=OUTCOMES,
        exercises=exercises,
        hardest=min(exercises, key=lambda row: row[1][PASSED], default=None),
        passed=PASSED,
        mistakes=found,
        meanings=summaries(),
        everyone=[
            (learner, [book.total(learner, item) for item in book.columns])
            for learner in (book.learners if book.exercises else ())
        ],
        page_of=page_of,
        count=_count,
    )


def mistakes(book: Gradebook) -> list[Mistake]:
    """What the learners were told as an error, the most frequent first.

    An untouched starter is nobody's mistake, so what it was told does not count.
    """
    found: dict[str, Mistake] = {}
    for (learner, exercise), entry in book.counted.items():
        if entry.report.verdict == "not_attempted":
            continue
        for finding in entry.report.findings:
            if finding.severity == "error":
                mistake = found.setdefault(finding.code, Mistake(finding.code, set(), set()))
                mistake.learners.add(learner)
                mistake.exercises.add(exercise)
    return sorted(found.values(), key=lambda mistake: (-len(mistake.learners), mistake.code))


def _flagged(results: Iterable[Result]) -> list[list[Result]]:
    """The flagged answers, imports first; those of which the same is said stand together."""
    alike: dict[tuple[object, ...], list[Result]] = defaultdict(list)
    for result in results:
        if result.flags:
            alike[result.rubric.number, result.verdict, result.flags].append(result)
    return sorted(alike.values(), key=lambda these: KINDS.index(these[0].flags[0].kind))


def page_of(learner: str) -> str:
    return f"{file_stem(learner)}.html"


def _summary(book: Gradebook) -> str:
    late = sum(result.is_late for result in book.results())
    return (
        f"{_count(book.learners, 'learner')}, {_count(book.exercises, 'exercise')}, "
        f"{_count(book.counted, 'answer')} of {len(book.learners) * len(book.exercises)} handed "
        f"in, {late} of them late."
    )


def _count(things: Iterable[object], noun: str) -> str:
    number = len(list(things))
    return f"{number} {noun}{'' if number == 1 else 's'}"


SCRIPT = files(__package__).joinpath("templates/marking.js").read_text(encoding="utf-8")


def marking_page(book: Gradebook) -> str:
    """What needs a person first. Its script alone may run, whatever an answer's text holds."""
    results = [result for result in book.results() if result.entry]
    digest = base64.b64encode(hashlib.sha256(SCRIPT.encode()).digest()).decode()
    return page(
        "marking.html",
        results=sorted(results, key=lambda result: not result.needs_a_person),
        lines=answer,
        page_of=page_of,
        script=SCRIPT,
        scripts=f"'sha256-{digest}'",
        folder=book.folder,
    )


def feedback_page(totals: Sequence[Total]) -> str:
    """A page on one learner's answers, which stands alone."""
    results = [result for total in totals for result in total.results]
    return page(
        "learner.html",
        learner=totals[0].learner,
        summary=_learners_summary(totals, results),
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


def _learners_summary(totals: Sequence[Total], results: Sequence[Result]) -> str:
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


def page_files(book: Gradebook) -> Iterator[tuple[str, str]]:
    """Each page, and the file it belongs in."""
    yield "index.html", class_page(book)
    yield "marking.html", marking_page(book)
    for learner in book.learners:
        yield page_of(learner), feedback_page(book.totals(learner))
