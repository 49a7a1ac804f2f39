"""The journal in short: how far a learner is, how well they know what they know, what is due."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from grader.course import Item, notebook_of
from grader.learning.journal.model import Card, Exam, Journal
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
class Calibration:
    """Of how many predictions that were made with one confidence, how many were right."""

    sure: bool
    made: int
    right: int


@dataclass(frozen=True)
class Progress:
    """All of it.

    Attributes:
        sure_and_wrong: the questions, in the order of the course.
        due: the questions to ask again, the one that waited longest first.
        elsewhere: the notebooks of all else that was done.
    """

    exercises: tuple[ExerciseProgress, ...]
    questions: int
    calibration: tuple[Calibration, ...]
    sure_and_wrong: tuple[Item, ...]
    due: tuple[str, ...]
    next_due: datetime | None
    first: datetime | None
    last: datetime | None
    exams: tuple[Exam, ...] = ()
    elsewhere: Set[str] = frozenset()

    @property
    def passed(self) -> int:
        return sum(exercise.standing == "passed" for exercise in self.exercises)


def summarise(
    journal: Journal,
    rubrics: tuple[Rubric, ...],
    questions: tuple[Item, ...],
    now: datetime,
) -> Progress:
    """How the learner stands in a course of these exercises and questions."""
    known = {question.key for question in questions}
    cards = {number: card for number, card in journal.cards.items() if number in known}
    own = known | {rubric.number for rubric in rubrics}
    times = [at for number, at in _done(journal) if number in own]
    times += [exam.at for exam in journal.exams.values()]
    times += [card.last_review for card in cards.values() if card.last_review]
    return Progress(
        exercises=tuple(_exercise(journal, rubric) for rubric in rubrics),
        questions=len(questions),
        calibration=tuple(_calibration(journal, known, sure) for sure in (True, False)),
        sure_and_wrong=_sure_and_wrong(journal, questions),
        due=_due(cards, now),
        next_due=min((card.due for card in cards.values()), default=None),
        first=min(times, default=None),
        last=max(times, default=None),
        exams=tuple(exam for exam in journal.exams.values() if exam.fixed is not None),
        elsewhere={notebook_of(number) for number, _ in _done(journal) if number not in own} - {""},
    )


def _done(journal: Journal) -> list[tuple[str, datetime]]:
    """In which exercises and questions something was done, and when."""
    done = [(attempt.exercise, attempt.at) for attempt in journal.attempts]
    done += [(hint.exercise, hint.at) for hint in journal.help]
    done += [(number, look.at) for number, look in journal.looks.items()]
    return done + [(made.question, made.at) for made in journal.predictions]


def _due(cards: dict[str, Card], now: datetime) -> tuple[str, ...]:
    today = now.astimezone().date()
    waiting = [number for number, card in cards.items() if card.due.astimezone().date() <= today]
    return tuple(sorted(waiting, key=lambda number: cards[number].due))


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


def _sure_and_wrong(journal: Journal, questions: tuple[Item, ...]) -> tuple[Item, ...]:
    wrong = {p.question for p in journal.predictions if p.sure and not p.right}
    return tuple(question for question in questions if question.key in wrong)


def _calibration(journal: Journal, known: set[str], sure: bool) -> Calibration:
    made = [p for p in journal.predictions if p.sure == sure and p.question in known]
    return Calibration(sure, len(made), sum(prediction.right for prediction in made))
