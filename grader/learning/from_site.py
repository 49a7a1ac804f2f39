"""What was answered on the course's site, added to the learner's own record."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from grader.course import Puzzle, all_puzzles, all_questions, all_rubrics, draw, version
from grader.errors import GraderError
from grader.judge import count
from grader.learning.exams.sitting import Sitting, sit
from grader.learning.journal import Journal, Look, Prediction, SolvedPuzzle, keep, reviewed


class SiteRecord(msgspec.Struct):
    """The file that the site gives: fields of the journal, and the exams that were begun there."""

    predictions: list[Prediction] = msgspec.field(default_factory=list)
    looks: dict[str, Look] = msgspec.field(default_factory=dict)
    exams: list[Sitting] = msgspec.field(default_factory=list)


class SiteRecordError(GraderError, ValueError):
    """A file is no record of the site."""


def import_record(path: Path) -> tuple[str, str]:
    """Add a file of the site to the journal; the first answer counts, wherever it was given.

    Whether an answer is right is judged again. Questions, exercises and exams that this version of
    the course does not have are left out.

    Returns:
        What was added, in words, and a notice or `""`.

    Raises:
        SiteRecordError: the file is no such record.
        ExamError: the learner has begun one of its exams with another version of the modules.
    """
    try:
        record = msgspec.json.decode(path.read_bytes(), type=SiteRecord)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise SiteRecordError(
            f"{path} holds no record of the course's site: {error}. Take it along there again."
        ) from None
    added = {"prediction": 0, "faulty line": 0, "level": 0}

    def edit(journal: Journal) -> None:
        added["prediction"] = sum(_add(journal, made) for made in record.predictions)
        known = {rubric.number for rubric in all_rubrics()} - journal.looks.keys()
        looks = {number: record.looks[number] for number in known & record.looks.keys()}
        journal.looks |= looks
        added["faulty line"] = len(looks)
        solved = _solved(record.predictions)
        levels = {puzzle.slug: SolvedPuzzle(0, False, at) for puzzle, at in solved}
        added["level"] = len(levels.keys() - journal.puzzles.keys())
        journal.puzzles = levels | journal.puzzles

    notice = keep(edit)
    for sitting in record.exams:
        _go_on(sitting)
    parts = [count(number, what) for what, number in added.items() if number]
    return f"Added from the site: {', '.join(parts) or 'nothing new'}.", notice


def _add(journal: Journal, made: Prediction) -> bool:
    question = next((each for each in all_questions() if each.number == made.question), None)
    is_known = question and len(made.choice) == 1 and made.choice in question.letters
    if not question or not is_known or journal.prediction(made.question):
        return False
    right, at = made.choice == question.right, made.at.astimezone(UTC)
    journal.add_prediction(msgspec.structs.replace(made, right=right, at=at))
    journal.cards.setdefault(made.question, reviewed(None, right, made.sure, at))
    return True


def _solved(answers: list[Prediction]) -> Iterator[tuple[Puzzle, datetime]]:
    """The levels whose right change was chosen, and when."""
    asked = {puzzle.question().number: puzzle for puzzle in all_puzzles()}
    for made in answers:
        puzzle = asked.get(made.question)
        if puzzle and made.choice == puzzle.question().right:
            yield puzzle, made.at.astimezone(UTC)


def _go_on(there: Sitting) -> None:
    """Write the answers of an exam down, so that `grader exam` goes on with it."""
    if there.pool != version():
        return
    here = sit(there.seed)
    for module in draw(there.seed):
        given = there.answers.get(module.name)
        if given and given.outcome in module.outcomes:
            here.answer(module, given.outcome, given.sure)
