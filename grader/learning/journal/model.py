"""What the journal holds. A change that an older program cannot read is a new version."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Literal

from msgspec import Struct, field

from grader.course import Way
from grader.schema import Verdict

LOOKS = 2  # tries to find the line to blame
# They say nothing about an answer.
NOT_NOTED: tuple[Verdict, ...] = ("not_attempted", "cannot_grade")


def now() -> datetime:
    return datetime.now(UTC).replace(microsecond=0)


class Attempt(Struct, frozen=True):
    """One check of an answer.

    Attributes:
        report_shown: whether the learner saw the report, and not only its verdict.
    """

    exercise: str
    verdict: Verdict
    score: int
    max_score: int
    device: str
    at: datetime = field(default_factory=now)
    report_shown: bool = True

    @property
    def is_try(self) -> bool:
        """Whether there was an answer to judge, and a report to learn from."""
        return self.report_shown and self.verdict != "not_defined"


class Help(Struct, frozen=True):
    """A hint that was taken; number 0 is the solution."""

    exercise: str
    number: int
    at: datetime = field(default_factory=now)


class Look(Struct, frozen=True):
    """The lines that were blamed before the first report was read; 0 if it was read at once.

    Attributes:
        found: whether the last of them was right.
    """

    lines: tuple[int, ...]
    found: bool
    at: datetime = field(default_factory=now)

    @property
    def is_over(self) -> bool:
        """Whether there is no further try."""
        return self.found or not all(self.lines) or len(self.lines) >= LOOKS

    @property
    def found_at_once(self) -> bool | None:
        """Whether the first line was right; None if none was blamed."""
        return self.found and len(self.lines) == 1 if self.lines[0] else None


class Reading(Struct, frozen=True):
    """The letter of what was said of one of an exam's modules."""

    choice: str
    sure: bool


class Exam(Struct):
    """An exam that was begun.

    Attributes:
        readings: by the module's name.
        found, fixed: how many of the ten were read right, and of the three fixed; None until then.
    """

    readings: dict[str, Reading] = field(default_factory=dict)
    found: int | None = None
    fixed: int | None = None
    at: datetime = field(default_factory=now)


class SolvedPuzzle(Struct, frozen=True):
    """A level that was solved: how long it took, and whether its solution had been shown."""

    seconds: int
    is_helped: bool
    at: datetime = field(default_factory=now)


class Prediction(Struct):
    """What was locked in before the cell ran.

    Attributes:
        is_marked: whether the cell has run since, and the learner was told who was right.
    """

    question: str
    choice: str
    sure: bool
    right: bool
    at: datetime = field(default_factory=now)
    is_marked: bool = False


class Card(Struct, frozen=True):
    """When a question is to be asked again: the state of the scheduler, fsrs."""

    state: int
    step: int | None
    stability: float | None
    difficulty: float | None
    due: datetime
    last_review: datetime | None


class Journal(Struct):
    """All that is kept of one learner; exercises and questions are called by their numbers.

    Attributes:
        looks: by exercise.
        exams: by their seed, the last that was worked on at the end.
        puzzles: by the level's name without its number.
        way: through the course, as `grader way` chose it.
    """

    version: Literal[1] = 1
    attempts: list[Attempt] = field(default_factory=list)
    help: list[Help] = field(default_factory=list)
    predictions: list[Prediction] = field(default_factory=list)
    cards: dict[str, Card] = field(default_factory=dict)
    looks: dict[str, Look] = field(default_factory=dict)
    exams: dict[str, Exam] = field(default_factory=dict)
    puzzles: dict[str, SolvedPuzzle] = field(default_factory=dict)
    way: Way = "everything"

    def tries(self, exercise: str) -> int:
        """How many reports on an answer to it were read."""
        return sum(attempt.exercise == exercise and attempt.is_try for attempt in self.attempts)

    def has_passed(self, exercise: str) -> bool:
        """Whether an answer to it has ever passed."""
        return any(
            attempt.exercise == exercise and attempt.verdict == "passed"
            for attempt in self.attempts
        )

    def hints_taken(self, exercise: str) -> int:
        return max((hint.number for hint in self.help if hint.exercise == exercise), default=0)

    def saw_solution(self, exercise: str) -> bool:
        return any(hint.exercise == exercise and not hint.number for hint in self.help)

    def prediction(self, question: str) -> Prediction | None:
        """What was predicted, if anything."""
        return next(
            (prediction for prediction in self.predictions if prediction.question == question), None
        )

    def add_attempt(self, attempt: Attempt) -> None:
        """Note a check, if it says anything about an answer."""
        if attempt.verdict not in NOT_NOTED:
            self.attempts.append(attempt)

    def add_help(self, taken: Help) -> None:
        """Note a hint, or that the solution was shown."""
        self.help.append(taken)

    def add_look(self, exercise: str, line: int, found: bool) -> None:
        """Note which line was blamed, while there is a try left."""
        earlier = self.looks.get(exercise)
        if not earlier or not earlier.is_over:
            self.looks[exercise] = Look((*(earlier.lines if earlier else ()), line), found)

    def add_prediction(self, prediction: Prediction) -> Prediction:
        """Note a prediction, and return the one that counts: the first, since it is locked in."""
        first = self.prediction(prediction.question)
        if first is None:
            self.predictions.append(prediction)
        return first or prediction
