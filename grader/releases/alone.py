"""Grades what one learner handed in, wherever that is: in its own child, like a class of one."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from grader.classroom.batch import Begun, Options, run_batch
from grader.classroom.gradebook import Result, gradebook
from grader.classroom.ledger import Entry, read
from grader.rubrics import Rubric

_LEARNER = "learner"


def grade_alone(answers: Path, rubrics: Sequence[Rubric]) -> tuple[tuple[Result, ...], list[str]]:
    """A result for each exercise, and for each file that was not graded why.

    Args:
        answers: the folder with the learner's files.
        rubrics: the exercises that are asked for.

    Raises:
        OSError: the files cannot be read.
    """
    with tempfile.TemporaryDirectory() as work:
        handed_in, out = Path(work) / "handed_in", Path(work) / "out"
        shutil.copytree(answers, handed_in / _LEARNER, symlinks=True)
        intake = run_batch(handed_in, out, Options(jobs=1), _in_silence)
        book = gradebook(read(out))
    results = tuple(book.result(_LEARNER, rubric) for rubric in rubrics)
    return results, [f"{each.file}: {each.why}" for each in intake.left_out]


def _in_silence(_begun: Begun) -> Callable[[Entry | None], None]:
    return lambda _entry: None
