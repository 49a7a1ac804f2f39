"""The journal in short: how far a learner is, how well they know what they know, what is due."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from grader.course import Item
from grader.learning.journal.model import Card, Exam, Journal, Prediction
from grader.schema import Rubric

Standing = Literal["passed", "not yet", "not tried"]


@dataclass(frozen=True)
class ExerciseProgress:
    """How one exercise stands.

    Attributes:
        tries: up to the first that passed.
        found: whether the first line that was blamed was right; None if none was.
        at: when it first passed, or was last tried.
    """

    number: str
    title: str
    standing: Standing
    tries: int = 0
    hints: int = 0
    found: bool | None = None
    at: datetime | None = None


@dataclass(frozen=True)
class Progress:
    """How a learner stands, at that time, in a course of these exercises and questions."""

    journal: Journal
    rubrics: tuple[Rubric, ...]
    questions: tuple[Item, ...]
    now: datetime

    @property
    def exercises(self) -> tuple[ExerciseProgress, ...]:
        return tuple(_exercise(self.journal, rubric) for rubric in self.rubrics)

    @property
    def predictions(self) -> list[Prediction]:
        known = {question.key for question in self.questions}
        return [made for made in self.journal.predictions if made.question in known]

    @property
    def cards(self) -> dict[str, Card]:
        known = {question.key for question in self.questions}
        return {number: card for number, card in self.journal.cards.items() if number in known}

    @property
    def due(self) -> tuple[str, ...]:
        """The questions to ask again, the one that waited longest first."""
        cards, today = self.cards, self.now.astimezone().date()
        waiting = [number for number in cards if cards[number].due.astimezone().date() <= today]
        return tuple(sorted(waiting, key=lambda number: cards[number].due))

    @property
    def next_due(self) -> datetime | None:
        return min((card.due for card in self.cards.values()), default=None)

    @property
    def exams(self) -> list[Exam]:
        """Those that were scored."""
        return [exam for exam in self.journal.exams.values() if exam.fixed is not None]


def _exercise(journal: Journal, rubric: Rubric) -> ExerciseProgress:
    number, title = rubric.number, rubric.title
    attempts = [attempt for attempt in journal.attempts if attempt.exercise == number]
    hints, look = journal.hints_taken(number), journal.looks.get(number)
    found = look.found_at_once if look else None
    if not attempts:
        return ExerciseProgress(number, title, "not tried", 0, hints, found)
    tries = 0
    for attempt in attempts:
        tries += attempt.is_try
        if attempt.verdict == "passed":
            return ExerciseProgress(number, title, "passed", tries, hints, found, attempt.at)
    return ExerciseProgress(number, title, "not yet", tries, hints, found, attempts[-1].at)
