"""The class's page: which exercise, which mistake, how many; who needs a person."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import get_args

from grader.classroom.results.gradebook import Gradebook, Result, average, file_stem, total
from grader.classroom.results.pages.charts import (
    NOT_YET,
    OUTCOMES,
    PASSED,
    Bar,
    Chart,
    Mistake,
    Outcome,
    Segment,
    chart,
    mistakes,
    outcome,
)
from grader.classroom.results.pages.document import page
from grader.probe import Limits
from grader.render import summaries
from grader.schema import FlagKind

KINDS = get_args(FlagKind)
Counts = dict[str, Counter[Outcome]]  # by an exercise's number


def class_page(book: Gradebook) -> str:
    results, found = list(book.results()), mistakes(book)
    by_number = {rubric.number: book.of_exercise(rubric) for rubric in book.exercises}
    counts = {number: Counter(map(outcome, these)) for number, these in by_number.items()}
    return page(
        "class.html",
        book=book,
        summary=_summary(book),
        seconds=f"{Limits().seconds:.0f}",
        unsettled=[result for result in results if result.is_unsettled],
        flagged=_flagged(results),
        missing=book.missing(),
        exercises_chart=_exercises_chart(book, counts) if counts else None,
        exercises=[
            (
                f"{number} {these[0].rubric.title}",
                [counts[number][o] for o in OUTCOMES],
                average(these),
            )
            for number, these in by_number.items()
        ],
        mistakes=found,
        mistakes_chart=_mistakes_chart(found) if found else None,
        meanings=summaries(),
        signs=[f"{outcome.sign} {outcome.word}" for outcome in OUTCOMES],
        numbers=list(by_number),
        everyone=[(learner, *_everything_of(book, learner)) for learner in book.learners],
        page_of=page_of,
    )


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
    handed_in = len(book.counted)
    late = sum(result.is_late for result in book.results())
    return (
        f"{_count(len(book.learners), 'learner')}, {_count(len(book.exercises), 'exercise')}, "
        f"{_count(handed_in, 'answer')} of {len(book.learners) * len(book.exercises)} handed in, "
        f"{late} of them late."
    )


def _exercises_chart(book: Gradebook, counts: Counts) -> Chart:
    bars = [
        Bar(
            f"{number}  {_short(book, number)}",
            tuple(Segment(count[outcome], outcome.look, outcome.word) for outcome in OUTCOMES),
            f"{count[PASSED]} of {count.total()}",
        )
        for number, count in counts.items()
    ]
    hardest = min(counts, key=lambda number: counts[number][PASSED])
    passed, learners = counts[hardest][PASSED], _count(len(book.learners), "learner")
    return chart(bars, f"Fewest passed exercise {hardest}: {passed} of {learners}.")


def _mistakes_chart(found: tuple[Mistake, ...]) -> Chart:
    first = found[0]
    learners = _count(len(first.learners), "learner")
    exercises = _count(len(first.exercises), "exercise")
    bars = [
        Bar(
            mistake.code,
            (Segment(len(mistake.learners), NOT_YET.look, "learners"),),
            str(len(mistake.learners)),
        )
        for mistake in found
    ]
    return chart(bars, f"The most frequent mistake is {first.code}: {learners}, in {exercises}.")


def _everything_of(book: Gradebook, learner: str) -> tuple[str, tuple[Result, ...]]:
    """A learner's points in all, and each result."""
    results = book.of_learner(learner)
    return f"{total(results)}/{sum(result.max_score for result in results)}", results


def _short(book: Gradebook, number: str) -> str:
    stem = next(rubric.stem for rubric in book.exercises if rubric.number == number)
    return stem.partition("_")[2].replace("_", " ")


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
