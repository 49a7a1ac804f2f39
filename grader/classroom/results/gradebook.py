"""A class's results in order: who, which exercise, and which result counts."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path

import msgspec

from grader.classroom.names import in_ascii
from grader.classroom.results.late_policy import AdjustedScore, Points, apply_late_policy, rounded
from grader.classroom.results.ledger import Entry, ManualMark, Remark, latest
from grader.classroom.results.term import (
    NO_RULES,
    NO_TERM,
    NO_TERMS,
    AssignmentRules,
    Enrolled,
    Term,
    Terms,
)
from grader.course import find, stems
from grader.render import HEADLINES
from grader.schema import Flag, Rubric, Verdict

# These say how the grading ended, not how good the answer is: a person should look.
UNSETTLED: frozenset[Verdict] = frozenset(
    ("timeout", "crashed", "out_of_memory", "output_limit", "tampered", "cannot_grade")
)
NOT_HANDED_IN = "not_handed_in"
MARKED = "Marked by a person: {points} of {of} points. {because}"
MARKED_BEFORE = (
    "A person gave {points} of {of} points for an earlier submission ({because}). This is another "
    "one: mark it again, or take the mark back."
)
LOOK = "This is no mark for the answer: a person should look at it."


@dataclass(frozen=True)
class Result:
    """One learner's answer to one exercise; no entry where nothing was handed in.

    Attributes:
        terms: what holds for the learner and the exercise.
        attempts: how many submissions there were.
        stored: where the answer lies, if that is known.
    """

    learner: str
    rubric: Rubric
    entry: Entry | None
    terms: Terms = NO_TERMS
    attempts: int = 0
    stored: Path | None = None

    @property
    def verdict(self) -> str:
        """The report's, or `not_handed_in`."""
        return self.entry.report.verdict if self.entry else NOT_HANDED_IN

    @property
    def marked(self) -> ManualMark | None:
        """The mark that a person gave for this submission."""
        return None if self._is_marked_before or self.entry is None else self.entry.marked

    @property
    def comments(self) -> tuple[Remark, ...]:
        """What persons said of this submission."""
        said = self.entry.comments if self.entry else ()
        return tuple(c for c in said if self.entry and c.submission == self.entry.submission)

    @property
    def remarks(self) -> str:
        """A person's mark with its reason, and comments, a line each."""
        marked = [self.explanation] if self.marked else []
        return "\n".join((*marked, *map(str, self.comments)))

    @property
    def _is_marked_before(self) -> bool:
        """Whether a person's mark is for another submission than the one that counts now."""
        marked = self.entry and self.entry.marked
        return bool(self.entry and marked and marked.submission != self.entry.submission)

    @property
    def is_unsettled(self) -> bool:
        """Whether a person should look before it counts as a mark."""
        return self._is_marked_before or (self.verdict in UNSETTLED and not self.marked)

    @property
    def flags(self) -> tuple[Flag, ...]:
        """What a person should look at in the answer, whatever its verdict."""
        return self.entry.report.flags if self.entry else ()

    @property
    def needs_a_person(self) -> bool:
        """Whether a person should look: before it counts as a mark, or at what is flagged."""
        return self.is_unsettled or bool(self.flags and not self.marked)

    @property
    def score(self) -> Points:
        """The points earned; a person's mark goes before the grader's."""
        if self.marked:
            return self.marked.points
        return self.entry.report.score if self.entry else 0

    @property
    def max_score(self) -> int:
        """The points there were; the rubric of that time may have given others than today's."""
        reported = self.entry.report.max_score if self.entry else 0
        return reported or sum(self.rubric.points.values())

    @cached_property
    def mark(self) -> Points | None:
        """What counts under the term's rules, or None where a 0 would say what nobody found out.

        Nothing handed in is 0 once the time for it is over.
        """
        if self.marked is None and (
            self.verdict == "cannot_grade"
            or (self.is_unsettled and not self.score)
            or (self.entry is None and not self.terms.are_over(datetime.now(UTC)))
        ):
            return None
        return self.reckoned.points

    @property
    def arithmetic(self) -> str:
        """How the term's rules led from the score to the mark; `""` if they change nothing."""
        limit, rest = self.terms.attempts, self.reckoned.arithmetic
        if limit is None or self.attempts <= limit:
            return rest
        # A person who marks a later attempt lets it count.
        which = f"attempt {limit} of {self.attempts} counts" if not self.marked else ""
        return "; ".join(filter(None, (which, rest)))

    @cached_property
    def reckoned(self) -> AdjustedScore:
        late = self.entry is not None and self.entry.late
        return apply_late_policy(
            self.score, self.max_score, self.handed_in, self.terms, said_late=late
        )

    @property
    def handed_in(self) -> datetime | None:
        """When; None if nobody knows."""
        if self.entry is None or not self.entry.handed_in:
            return None
        return datetime.fromisoformat(self.entry.handed_in).astimezone()

    @property
    def is_late(self) -> bool:
        """Whether it came after its time: by the term's rules, else as the batch was told."""
        if self.terms.due is not None and self.handed_in is not None:
            return self.handed_in > self.terms.due
        return self.entry is not None and self.entry.late

    def __str__(self) -> str:
        return "no mark" if self.mark is None else f"{self.mark} of {self.max_score} points"

    @property
    def explanation(self) -> str:
        """Why there are these marks and no others, and whether a person should look."""
        if self.entry is None:
            return "Nothing was handed in."
        report, given = self.entry.report, self.entry.marked
        if given:
            words = MARKED_BEFORE if self._is_marked_before else MARKED
            return words.format(points=given.points, of=self.max_score, because=given.because)
        message = report.message or f"{HEADLINES[report.verdict].capitalize()}."
        return f"{message}\n{LOOK}" if self.is_unsettled else message


@dataclass(frozen=True)
class GradeItem:
    """What has one mark in a gradebook: an exercise, or the exercises of an assignment."""

    name: str
    rubrics: tuple[Rubric, ...]
    rules: AssignmentRules = NO_RULES

    @property
    def is_exercise(self) -> bool:
        """Whether it is called like its only exercise."""
        return self.name == self.rubrics[0].number

    @property
    def title(self) -> str:
        return f"{self.name} {self.rubrics[0].title}" if self.is_exercise else self.name

    @property
    def stem(self) -> str:
        """What a file about it is called."""
        return self.rubrics[0].stem if self.is_exercise else in_ascii(self.name)

    @property
    def points(self) -> Points:
        return rounded(
            self.rules.points or self.weighted(sum(r.points.values()) for r in self.rubrics)
        )

    def weighted(self, points: Iterable[Points]) -> float:
        """The sum of points, one number for each exercise."""
        weights = (self.rules.weights.get(rubric.number, 1) for rubric in self.rubrics)
        return sum(weight * number for weight, number in zip(weights, points, strict=True))


@dataclass(frozen=True)
class Total:
    """What a learner has for an item, from a result for each of its exercises.

    As long as one of these has no mark, neither has the whole.
    """

    learner: str
    item: GradeItem
    results: tuple[Result, ...]

    @property
    def is_handed_in(self) -> bool:
        return any(result.entry for result in self.results)

    @cached_property
    def earned(self) -> Points:
        """The points so far."""
        points = self.item.weighted(result.mark or 0 for result in self.results)
        most = self.item.weighted(sum(rubric.points.values()) for rubric in self.item.rubrics)
        return rounded(points * self.item.points / most)

    @property
    def mark(self) -> Points | None:
        return self.earned if self.is_handed_in and not self.so_far else None

    @property
    def so_far(self) -> str:
        """How many exercises have a mark, such as `3 of 5 exercises`; `""` if all have one."""
        marked, there = sum(r.mark is not None for r in self.results), len(self.results)
        return f"{marked} of {there} exercises" if marked < there else ""

    def __str__(self) -> str:
        points = f"{self.earned} of {self.item.points} points"
        return ", ".join(filter(None, (points, self.so_far)))


def alone(result: Result) -> Total:
    """A result that is shown by itself."""
    return Total(result.learner, GradeItem(result.rubric.number, (result.rubric,)), (result,))


@dataclass(frozen=True)
class Gradebook:
    """All results of a class.

    Attributes:
        learners: all who are in the ledger, by name.
        numbers: those of the exercises that are in the ledger.
        counted: what counts, by learner and exercise's number, where something was handed in or
            a person gave a mark.
        ids: what the platform calls a learner, where that is known.
        attempts: the submissions that were graded, by learner and exercise's number, in order.
        enrolled: whom the roster has under a learner's name; empty without a roster.
        term: the rules that lead from scores to marks.
        apart: whether each exercise has a mark of its own, also those of one assignment.
        folder: where the ledger is, and the answers.
    """

    learners: tuple[str, ...]
    numbers: frozenset[str]
    counted: dict[tuple[str, str], Entry]
    ids: dict[str, str]
    attempts: Mapping[tuple[str, str], tuple[Entry, ...]] = field(default_factory=dict)
    enrolled: Mapping[str, Enrolled] = field(default_factory=dict)
    term: Term = NO_TERM
    apart: bool = False
    folder: Path | None = None

    @cached_property
    def items(self) -> tuple[GradeItem, ...]:
        """What has one mark each, in the order of the course."""
        names = {self.term.names.get(number, number) for number in self.numbers}
        if self.apart:
            names = {number for name in names for number in self.term.numbers(name)}
        items = [
            GradeItem(name, tuple(map(find, self.term.numbers(name))), self.term.rules(name))
            for name in names
        ]
        return tuple(sorted(items, key=lambda item: stems().index(item.rubrics[0].stem)))

    @cached_property
    def columns(self) -> tuple[GradeItem, ...]:
        """The items; if each is one exercise, all together instead, so that there is a sum."""
        is_flat = all(item.is_exercise for item in self.items)
        return (GradeItem("Points", self.exercises),) if is_flat else self.items

    @cached_property
    def exercises(self) -> tuple[Rubric, ...]:
        """All that were handed in, and what else belongs to their assignments."""
        return tuple(rubric for item in self.items for rubric in item.rubrics)

    def total(self, learner: str, item: GradeItem) -> Total:
        return Total(learner, item, tuple(self.result(learner, rubric) for rubric in item.rubrics))

    def totals(self, learner: str) -> tuple[Total, ...]:
        return tuple(self.total(learner, item) for item in self.items)

    def result(self, learner: str, rubric: Rubric) -> Result:
        """What counts for a learner and an exercise."""
        key = (learner, rubric.number)
        if key not in self._results:
            self._results[key] = self._result(key, rubric)
        return self._results[key]

    @cached_property
    def _results(self) -> dict[tuple[str, str], Result]:
        return {}

    def _result(self, key: tuple[str, str], rubric: Rubric) -> Result:
        learner = key[0]
        terms = self.term.terms(self.person(learner), rubric.number)
        attempts = self.attempts.get(key, ())
        entry = _within(terms.attempts, attempts, self.counted.get(key))
        stored = None
        if self.folder and entry and entry.is_stored:
            stored = self.folder / "submissions" / f"{entry.submission}.py"
        return Result(learner, rubric, entry, terms, len(attempts), stored)

    def missing(self) -> tuple[tuple[Rubric, tuple[str, ...]], ...]:
        """The exercises that some learners handed in nothing for, and who they are."""
        found = (
            (rubric, tuple(r.learner for r in self.of_exercise(rubric) if r.entry is None))
            for rubric in self.exercises
        )
        return tuple((rubric, learners) for rubric, learners in found if learners)

    def person(self, learner: str) -> Enrolled:
        """Whom the roster has for a learner; else what the ledger knows."""
        return self.enrolled.get(learner) or Enrolled(learner, self.ids.get(learner, ""))

    def of_exercise(self, rubric: Rubric) -> tuple[Result, ...]:
        return tuple(self.result(learner, rubric) for learner in self.learners)

    def results(self, *learners: str) -> Iterator[Result]:
        """Those of some learners, or of all, in the order of the course."""
        for learner in learners or self.learners:
            yield from (self.result(learner, rubric) for rubric in self.exercises)


def gradebook(entries: Iterable[Entry]) -> Gradebook:
    """Put the lines of a ledger in order.

    An entry that says only that nothing was handed in makes its learner and exercise known.

    Raises:
        UnknownExerciseError: an entry is about an exercise that is not in the course.
    """
    attempts: dict[tuple[str, str], dict[str, Entry]] = defaultdict(dict)
    counted = latest(_noting(entries, attempts))
    return Gradebook(
        learners=tuple(sorted({learner for learner, _ in counted}, key=by_name)),
        numbers=frozenset(find(exercise).number for _, exercise in counted),
        counted={key: entry for key, entry in counted.items() if entry.has_result},
        ids={entry.learner: entry.learner_id for entry in counted.values() if entry.learner_id},
        attempts={key: tuple(attempts[key].values()) for key in attempts},
    )


def _noting(
    entries: Iterable[Entry], attempts: dict[tuple[str, str], dict[str, Entry]]
) -> Iterator[Entry]:
    """The entries; on the way, each submission's last entry is put into `attempts`.

    What is handed in once more, byte for byte, is the attempt that it was. The starter as it is,
    and what nobody could grade, are none.
    """
    for entry in entries:
        if entry.is_stored and entry.report.verdict not in ("not_attempted", "cannot_grade"):
            attempts[entry.learner, entry.exercise][entry.submission] = entry
        yield entry


def _within(limit: int | None, attempts: tuple[Entry, ...], last: Entry | None) -> Entry | None:
    """Of more attempts than the limit, the one at the limit; a person's mark counts whatever."""
    if limit is None or last is None or len(attempts) <= limit:
        return last
    if last.marked and last.marked.submission == last.submission:
        return last
    at_limit = attempts[limit - 1]
    return msgspec.structs.replace(at_limit, marked=last.marked, comments=last.comments)


def average(results: Iterable[Result]) -> str:
    """Of the answers that have a mark, the score in per cent of what there was; `""` of none.

    It says how an exercise went, so being late does not lower it.
    """
    marked = [result for result in results if result.entry and result.mark is not None]
    there = sum(result.max_score for result in marked)
    return f"{100 * sum(result.score for result in marked) / there:.0f} %" if there else ""


def file_stem(learner: str) -> str:
    """A file name for a learner that no other learner's can equal, whatever either is called."""
    readable = in_ascii(learner)
    digest = hashlib.sha256(learner.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{readable}-{digest}" if readable else digest


def by_name(learner: str) -> tuple[str, str]:
    """What learners are sorted by: their names, whatever their capitals."""
    return learner.casefold(), learner
