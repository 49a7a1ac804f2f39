"""The class's page: which exercise, which mistake, how many; who needs a person."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import get_args

from grader.classroom.results.gradebook import Gradebook, Result, average, file_stem
from grader.classroom.results.pages.charts import (
    NOT_YET,
    OUTCOMES,
    PASSED,
    Bar,
    Mistake,
    Outcome,
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
        bars=[_bar(book, number, count) for number, count in counts.items()],
        hardest=_hardest(book, counts) if counts else "",
        exercises=[
            (
                f"{number} {these[0].rubric.title}",
                [counts[number][o] for o in OUTCOMES],
                average(these),
            )
            for number, these in by_number.items()
        ],
        mistakes=found,
        mistake_bars=[_mistake_bar(mistake) for mistake in found],
        most_frequent=_most_frequent(found) if found else "",
        meanings=summaries(),
        signs=[f"{outcome.sign} {outcome.word}" for outcome in OUTCOMES],
        everyone=[
            (learner, [book.total(learner, item) for item in book.columns])
            for learner in (book.learners if book.exercises else ())
        ],
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


def _bar(book: Gradebook, number: str, count: Counter[Outcome]) -> Bar:
    parts = tuple((count[outcome], outcome) for outcome in OUTCOMES)
    return Bar(f"{number}  {_short(book, number)}", parts, f"{count[PASSED]} of {count.total()}")


def _hardest(book: Gradebook, counts: Counts) -> str:
    hardest = min(counts, key=lambda number: counts[number][PASSED])
    passed, learners = counts[hardest][PASSED], _count(len(book.learners), "learner")
    return f"Fewest passed exercise {hardest}: {passed} of {learners}."


def _mistake_bar(mistake: Mistake) -> Bar:
    size = len(mistake.learners)
    return Bar(mistake.code, ((size, NOT_YET),), str(size))


def _most_frequent(found: tuple[Mistake, ...]) -> str:
    learners = _count(len(found[0].learners), "learner")
    exercises = _count(len(found[0].exercises), "exercise")
    return f"The most frequent mistake is {found[0].code}: {learners}, in {exercises}."


def _short(book: Gradebook, number: str) -> str:
    stem = next(rubric.stem for rubric in book.exercises if rubric.number == number)
    return stem.partition("_")[2].replace("_", " ")


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
