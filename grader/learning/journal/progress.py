"""A learner's progress, as text and as HTML."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from math import ceil
from textwrap import shorten

from grader.course import TEN, THREE, Item, notebook_of
from grader.learning.journal.model import Prediction
from grader.learning.journal.summary import ExerciseProgress, Progress, Standing
from grader.render import CELL, SIGNS, STYLE, Mood, render_template

MOST_SHOWN = 5
SECONDS = 40  # that a question takes
MOODS: dict[Standing, Mood] = {"passed": "good", "not yet": "doubt", "not tried": "open"}


def progress_text(progress: Progress, now: datetime, review: str = "grader review") -> str:
    """As text; `review` is what to type to be asked again."""
    shown, waiting = _shown(progress)
    width = max((len(exercise.title) for exercise in shown), default=0)
    lines = [heading] if (heading := _exercises_passed(progress)) else []
    for exercise in shown:
        name = f"{exercise.number:4}{exercise.title:{width}}"
        lines.append(f"  {_sign(exercise)} {name}  {_status_text(exercise, now)}".rstrip())
    lines += [f"    {waiting}"] if waiting else []
    known = [*_looks(progress), *_predictions(progress), *_exams(progress, now)]
    return "\n".join([*lines, *[""] * bool(lines), *known, "", *_time(progress, now, review)])


def to_html(progress: Progress, now: datetime, review: str) -> str:
    predictions, *calibration = _predictions(progress)
    shown, waiting = _shown(progress)
    rest = *_looks(progress), *calibration, *_exams(progress, now), *_time(progress, now, review)
    page = render_template(
        "grader.learning",
        "progress.html",
        heading=_exercises_passed(progress),
        rows=[
            (MOODS[each.standing], (f"{_sign(each)} {each.number}", each.title, status))
            for each in shown
            for status in [_status_text(each, now)]
        ],
        waiting=waiting,
        predictions=predictions,
        lines=[line.strip() for line in rest],
        cell=CELL,
        style=STYLE,
    )
    return str(page)


def ago(then: datetime, now: datetime) -> str:
    """`today`, `yesterday`, `3 days ago`, by the clock of whoever reads it."""
    days = (now.astimezone().date() - then.astimezone().date()).days
    return {0: "today", 1: "yesterday"}.get(max(days, 0), f"{days} days ago")


def ahead(then: datetime, now: datetime) -> str:
    """`today`, `tomorrow`, `in 3 days`."""
    days = (then.astimezone().date() - now.astimezone().date()).days
    return {0: "today", 1: "tomorrow"}.get(max(days, 0), f"in {days} days")


def due_line(progress: Progress, review: str = "grader review") -> str:
    """`3 questions are due, 2 minutes: grader review`; `""` if none is."""
    if not progress.due:
        return ""
    minutes = ceil(len(progress.due) * SECONDS / 60)
    asked = _count(len(progress.due), "question is", "questions are")
    return f"{asked} due, {_count(minutes, 'minute', 'minutes')}: {review}"


def _exercises_passed(progress: Progress) -> str:
    standings = [exercise.standing for exercise in progress.exercises]
    passed = standings.count("passed")
    return f"Exercises: {passed} of {len(standings)} passed" if standings else ""


def _shown(progress: Progress) -> tuple[list[ExerciseProgress], str]:
    """Those that were tried and the next few, and how many more there are."""
    waiting = [each for each in progress.exercises if each.standing == "not tried"]
    later = waiting[MOST_SHOWN:]
    shown = [each for each in progress.exercises if each not in later]
    return shown, f"and {len(later)} more, not tried" if later else ""


def _sign(exercise: ExerciseProgress) -> str:
    return SIGNS[MOODS[exercise.standing]]


def _status_text(exercise: ExerciseProgress, now: datetime) -> str:
    facts: list[str] = [exercise.standing]
    if exercise.tries:
        facts.append(_count(exercise.tries, "try", "tries"))
    if exercise.hints:
        facts.append(_count(exercise.hints, "hint", "hints"))
    if exercise.at:
        facts.append(ago(exercise.at, now))
    return ", ".join(facts)


def _looks(progress: Progress) -> Iterator[str]:
    found = [exercise.found for exercise in progress.exercises if exercise.found is not None]
    if found:
        yield f"Faulty lines: {sum(found)} of {len(found)} found at first look"


def _predictions(progress: Progress) -> Iterator[str]:
    made, questions = progress.predictions, progress.questions
    right = f", {_right(made)} right" if made else ""
    yield f"Predictions: {len(made)} of {len(questions)} made{right}"
    for sure, words in ((True, "were"), (False, "were not")):
        if of := [prediction for prediction in made if prediction.sure == sure]:
            right = {0: "none was", 1: "1 was"}.get(_right(of), f"{_right(of)} were")
            yield f"  Of {len(of)} that you {words} sure of, {right} right."
    wrong = {prediction.question for prediction in made if prediction.sure and not prediction.right}
    yield from _sure_and_wrong([question for question in questions if question.key in wrong])


def _right(predictions: list[Prediction]) -> int:
    return sum(prediction.right for prediction in predictions)


def _sure_and_wrong(questions: list[Item]) -> Iterator[str]:
    """The first few with their first words and their notebook, the others by number."""
    if not questions:
        return
    yield "  Sure and wrong, so worth another look:"
    for question in questions[:MOST_SHOWN]:
        words = shorten(question.text, 54, placeholder=" ...")
        yield f"    {question.key}  {words}  {notebook_of(question.key)}.ipynb"
    if more := questions[MOST_SHOWN:]:
        yield f"    and {', '.join(question.key for question in more)}"


def _exams(progress: Progress, now: datetime) -> Iterator[str]:
    """The last result."""
    for last in progress.exams[-1:]:
        fixed = f", {last.fixed} of {THREE} fixed"
        yield f"Exam: {last.found} of {TEN} read right{fixed}, {ago(last.at, now)}"


def _time(progress: Progress, now: datetime, review: str) -> Iterator[str]:
    if progress.due:
        yield due_line(progress, review)
    elif progress.next_due:
        yield f"The next question is due again {ahead(progress.next_due, now)}."
    tried = any(exercise.at or exercise.hints for exercise in progress.exercises)
    if not (tried or progress.predictions or progress.exams):
        yield "Nothing is recorded here yet. Your first try, hint or prediction is the start."


def _count(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"
