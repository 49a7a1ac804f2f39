"""The class's page: which exercise, which mistake, how many; who needs a person."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import NamedTuple, get_args

from grader.classroom.results.gradebook import Gradebook, Result, average, file_stem
from grader.classroom.results.pages.document import OUTCOMES, PASSED, outcome, page
from grader.probe import Limits
from grader.render import summaries
from grader.schema import FlagKind

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
