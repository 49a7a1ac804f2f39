"""A class's results in order: who, which exercise, and which result counts."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from grader.catalog import find, stems
from grader.classroom.results.ledger import Entry, Marked, latest
from grader.judge.report import Flag, Verdict
from grader.render.parts import HEADLINES
from grader.rubrics import Rubric

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
    """One learner's answer to one exercise; no entry where nothing was handed in."""

    learner: str
    rubric: Rubric
    entry: Entry | None

    @property
    def verdict(self) -> str:
        """The report's, or `not_handed_in`."""
        return self.entry.report.verdict if self.entry else NOT_HANDED_IN

    @property
    def marked(self) -> Marked | None:
        """The mark that a person gave for this submission."""
        return None if self._is_marked_before or self.entry is None else self.entry.marked

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
    def score(self) -> int:
        """The points earned; a person's mark goes before the grader's."""
        if self.marked:
            return self.marked.points
        return self.entry.report.score if self.entry else 0

    @property
    def max_score(self) -> int:
        """The points there were; the rubric of that time may have given others than today's."""
        reported = self.entry.report.max_score if self.entry else 0
        return reported or sum(self.rubric.points.values())

    @property
    def mark(self) -> int | None:
        """The score, or None where a 0 would say what nobody found out."""
        if self.marked:
            return self.score
        if self.verdict == "cannot_grade" or (self.is_unsettled and not self.score):
            return None
        return self.score

    @property
    def is_late(self) -> bool:
        """Whether it came after its time."""
        return self.entry is not None and self.entry.late

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
class Enrolled:
    """A learner as a roster has them; what is not known is `""`."""

    name: str
    learner_id: str = ""
    section: str = ""
    group: str = ""


NOT_ENROLLED = Enrolled("")


@dataclass(frozen=True)
class Gradebook:
    """All results of a class.

    Attributes:
        learners: all who are in the ledger, by name.
        exercises: all that are in the ledger, in the order of the course.
        counted: what counts, by learner and exercise's number, where something was handed in or
            a person gave a mark.
        ids: what the platform calls a learner, where that is known.
        enrolled: whom the roster has under a learner's name; empty without a roster.
    """

    learners: tuple[str, ...]
    exercises: tuple[Rubric, ...]
    counted: dict[tuple[str, str], Entry]
    ids: dict[str, str]
    enrolled: Mapping[str, Enrolled] = field(default_factory=dict)

    def result(self, learner: str, rubric: Rubric) -> Result:
        """What counts for a learner and an exercise."""
        return Result(learner, rubric, self.counted.get((learner, rubric.number)))

    def of_learner(self, learner: str) -> tuple[Result, ...]:
        """A result for every exercise, in the order of the course."""
        return tuple(self.result(learner, rubric) for rubric in self.exercises)

    def of_exercise(self, rubric: Rubric) -> tuple[Result, ...]:
        """A result for every learner, by name."""
        return tuple(self.result(learner, rubric) for learner in self.learners)

    def results(self) -> Iterator[Result]:
        """Every learner's every result."""
        for learner in self.learners:
            yield from self.of_learner(learner)


def gradebook(entries: Iterable[Entry]) -> Gradebook:
    """Put the lines of a ledger in order.

    An entry that says only that nothing was handed in makes its learner and exercise known.

    Raises:
        UnknownExerciseError: an entry is about an exercise that is not in the course.
    """
    counted = latest(entries)
    rubrics = {number: find(number) for number in {exercise for _, exercise in counted}}
    order = stems()
    return Gradebook(
        learners=tuple(sorted({learner for learner, _ in counted}, key=by_name)),
        exercises=tuple(sorted(rubrics.values(), key=lambda rubric: order.index(rubric.stem))),
        counted={key: entry for key, entry in counted.items() if entry.has_result},
        ids={entry.learner: entry.learner_id for entry in counted.values() if entry.learner_id},
    )


def average(results: Iterable[Result]) -> str:
    """Of the answers that have a mark, the points in per cent of those there were; `""` of none."""
    marked = [result for result in results if result.entry and result.mark is not None]
    there = sum(result.max_score for result in marked)
    return f"{100 * sum(result.score for result in marked) / there:.0f} %" if there else ""


def file_stem(learner: str) -> str:
    """A file name for a learner that no other learner's can equal, whatever either is called."""
    readable = re.sub(r"[^\w-]+", "-", learner, flags=re.ASCII).strip("-")[:40]
    digest = hashlib.sha256(learner.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{readable}-{digest}" if readable else digest


def by_name(learner: str) -> tuple[str, str]:
    """What learners are sorted by: their names, whatever their capitals."""
    return learner.casefold(), learner
