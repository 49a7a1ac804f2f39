"""`grader batch`: from a folder of submissions to a ledger with a result for each."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from grader.classroom.grading.engine import Engine, device_label
from grader.classroom.grading.grade import grade_all
from grader.classroom.grading.marking import Settings
from grader.classroom.grading.versions import rubric_version
from grader.classroom.intake.documents import Document, Unread, UnreadableError
from grader.classroom.intake.origin import NOBODY
from grader.classroom.intake.scope import AssignmentScope, scope_of
from grader.classroom.intake.submission import Answer
from grader.classroom.intake.submissions import Intake, collect
from grader.classroom.results.ledger import Outcome, Record, Submission, line_of
from grader.classroom.results.similar_answers import note_likeness
from grader.classroom.scratch import sweep
from grader.grading import refusal
from grader.probe import Level, best_level, require, same_device
from grader.schema import Rubric

if TYPE_CHECKING:
    from grader.probe import DeviceChoice

LEFT_OUT = "left_out.txt"


@dataclass(frozen=True)
class BatchOptions:
    """What a batch is asked for.

    Attributes:
        jobs: how many submissions to grade at a time.
        isolation: the least that must keep a probe from the machine.
        due: what is handed in later is late.
        shard: which part of the class this is, from 1, and how many there are; a learner is in
            one of them as a whole, and in the same on every machine.
        assignment: the folder of an assignment with variants of its own; None for the course.
        asked: the numbers of the exercises that everybody has to hand in; empty if nobody said.
    """

    jobs: int
    device: DeviceChoice = "auto"
    isolation: Level = Level.PROCESS
    due: datetime | None = None
    shard: tuple[int, int] = (1, 1)
    assignment: Path | None = None
    asked: tuple[str, ...] = ()

    def has(self, learner: str) -> bool:
        """Whether the learner is in this part of the class."""
        digest = hashlib.sha256(learner.encode("utf-8", "surrogatepass")).digest()
        index, count = self.shard
        return int.from_bytes(digest[:8], "big") % count == index - 1


@dataclass(frozen=True)
class BatchStart:
    """What is known before the first result.

    Attributes:
        submissions: how many there are to be.
        isolation: the level that is reached.
        cut_off: the bytes of a torn line at the ledger's end.
    """

    submissions: int
    learners: int
    device: str
    isolation: str
    cut_off: int


def run_batch(
    submissions: Path,
    out: Path,
    options: BatchOptions,
    begin: Callable[[BatchStart], Callable[[], None]],
) -> Intake:
    """Grade what was handed in and is not graded yet; gives what was found.

    Args:
        submissions: a folder, or the zip that a platform gave out.
        out: the folder of the ledger; what is in it already is kept, and not graded again.
        options: how.
        begin: called when all submissions are found; what it gives is called for each that is done.

    Raises:
        OSError: a folder cannot be read or written, or another batch writes the same.
        UnreadableError: Gradescope's metadata cannot be read.
        NoCudaDeviceError: CUDA was asked for, and there is none.
        IsolationError: this system does not reach the isolation asked for.
        AssignmentError: the assignment's folder holds none.
    """
    sweep()
    require(options.isolation)
    device = device_label(options.device)
    settings = Settings(same_device(device), options.isolation)
    engine = Engine(options.jobs, settings)
    with engine, Record(out, options.isolation) as record:
        # Only now: workers are forked before any rubric is read.
        exercises = scope_of(options.assignment, options.asked)
        intake = collect(submissions, options.due, exercises)
        mine = [answer for answer in intake.answers if options.has(answer.learner)]
        learners = [name for name in intake.learners if options.has(name)]
        level = str(best_level())
        tell = begin(BatchStart(len(mine), len(learners), device, level, record.cut_off))
        stored = _stored(mine, record, device, intake, tell)
        grade_all(record, engine, stored, tell, exercises)
        for name in learners:
            _note_missing(name, intake, exercises, record)
        note_likeness(record, exercises)
        _list_left_out(intake.left_out, out)
    return intake


def _stored(
    answers: list[Answer], record: Record, device: str, intake: Intake, tell: Callable[[], None]
) -> Iterator[Submission]:
    """The answers, their bytes stored; what cannot be read is left out."""
    for answer in answers:
        number, origin = answer.rubric.number, answer.document.origin
        try:
            digest = record.keep(answer.source())
            modules = {name: record.keep(file) for name, file in answer.modules().items()}
        except UnreadableError as error:
            left_out = answer.document.left_out(str(error))
            intake.left_out.append(left_out)
            intake.unread.append(Unread(answer.learner, number, left_out))
            tell()
            continue
        yield Submission(
            learner=answer.learner,
            learner_id=answer.learner_id,
            exercise=number,
            submission=digest,
            modules=modules,
            file=answer.file,
            handed_in=answer.time,
            late=answer.late,
            platform=origin.platform,
            receipt=origin.receipt,
            variant=answer.rubric.home and Path(answer.rubric.home).name,
            rubric=rubric_version(answer.rubric),
            device=device,
        )


def _note_missing(learner: str, intake: Intake, exercises: AssignmentScope, record: Record) -> None:
    """Write down what a learner did not hand in, of what is asked, or nobody could read."""
    for number in exercises.asked or intake.exercises:
        rubric = exercises.rubric(number, learner, intake.learners[learner])
        if rubric is None:
            continue
        unread = intake.unread_of(learner, number)
        origin, report = NOBODY, refusal("not_attempted", "Nothing was handed in.", rubric, "")
        if unread:
            origin, file = unread[0].document.origin, unread[0].document.file
            report = refusal("cannot_grade", why_unread(unread, rubric), rubric, file)
        known = record.counted.get((learner, number))
        if known and (known.is_stored or known.report == report):
            continue  # something was graded, or the same was said before of what was not
        what = Submission(
            learner=learner,
            learner_id=intake.learners[learner],
            exercise=number,
            file=report.source,
            platform=origin.platform,
            receipt=origin.receipt,
        )
        record.add(line_of(what, Outcome(report)))


def why_unread(unread: tuple[Unread, ...], rubric: Rubric) -> str:
    files = "; ".join(f"{file.document.file} {file.document.why}" for file in unread)
    return (
        f"What was handed in could not be read, so nothing was graded: {files}. Hand in "
        f"`{rubric.stem}.py`, a notebook called `{rubric.stem}.ipynb`, or a zip of one."
    )


def _list_left_out(left_out: list[Document], out: Path) -> None:
    lines = [f"{file.file}: {file.why}\n" for file in left_out]
    (out / LEFT_OUT).write_text("".join(lines), encoding="utf-8")
