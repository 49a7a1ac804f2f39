"""Grades what one learner handed in, wherever that is: in its own child, like a class of one."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

from grader.classroom.batch import BatchOptions, run_batch, why_unread
from grader.classroom.intake.submissions import Intake
from grader.classroom.results.gradebook import Gradebook, Result, gradebook
from grader.classroom.results.ledger import Entry, read_ledger
from grader.grading import refusal
from grader.probe import Level
from grader.schema import Rubric


def grade_alone(
    answers: Path,
    rubrics: Sequence[Rubric],
    learner: str = "learner",
    assignment: Path | None = None,
) -> tuple[tuple[Result, ...], list[str]]:
    """A result for each exercise, and for each file that was not graded why.

    Args:
        answers: the folder with the learner's files.
        rubrics: the exercises that are asked for.
        learner: the variant's name, if there is an assignment.
        assignment: the folder of the variants, which the learner's code must not read.

    Raises:
        OSError: the files cannot be read.
        IsolationError: nothing here keeps an answer from the variants' solutions.
    """
    with tempfile.TemporaryDirectory() as work:
        os.chmod(work, 0o711)  # where root grades, another user's process reads the submission
        handed_in, out = Path(work) / "handed_in", Path(work) / "out"
        shutil.copytree(answers, handed_in / learner, symlinks=True)
        least = Level.FILESYSTEM if assignment else Level.PROCESS
        options = BatchOptions(jobs=1, isolation=least, assignment=assignment)
        intake = run_batch(handed_in, out, options, lambda _: lambda: None)
        book = gradebook(read_ledger(out))
    results = tuple(_result(book, rubric, intake, learner) for rubric in rubrics)
    return results, [f"{file.file}: {file.why}" for file in intake.left_out]


def no_result_yet(rubric: Rubric) -> Result:
    """What to hand over before grading begins, so that a run that is ended still says something."""
    return ungraded(
        rubric,
        "The grading was ended before there was a result. This says nothing about your answer: "
        "hand it in again, and tell your teacher if that does not help.",
    )


def _result(book: Gradebook, rubric: Rubric, intake: Intake, learner: str) -> Result:
    """What counts; where nothing does, what nobody could read may have been the answer."""
    result = book.result(learner, rubric)
    unread = intake.unread_of(learner, rubric.number)
    return (
        ungraded(rubric, why_unread(unread, rubric)) if unread and result.entry is None else result
    )


def ungraded(rubric: Rubric, message: str) -> Result:
    """A result that says nothing of the answer."""
    report = refusal("cannot_grade", message, rubric, "")
    return Result("", rubric, Entry(learner="", exercise=rubric.number, report=report))
