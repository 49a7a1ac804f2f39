"""What a class handed in: for each learner and exercise, the submission that counts.

Of several the last in time counts, late or not: it is what the learner meant to hand in, and what
Canvas, Moodle and Gradescope give out as well. It carries its `late`, and what it replaced is
listed. A starter that nobody changed replaces nothing.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from pathlib import Path

from grader.classroom.intake.documents import (
    ARCHIVES,
    NOT_READ,
    NOTES,
    READ,
    Document,
    LeftOut,
    Unread,
    UnreadableError,
)
from grader.classroom.intake.exercises import course, exercise_in_path
from grader.classroom.intake.folders import files_of
from grader.classroom.intake.gradescope import gradescope
from grader.classroom.intake.nbgrader import nbgrader
from grader.classroom.intake.notebooks import code_cells
from grader.classroom.intake.origin import Origin, canvas_origin, moodle_origin, plain_origin
from grader.classroom.intake.scope import COURSE, AssignmentScope
from grader.classroom.intake.submission import Files, Submission, is_notebook
from grader.course import is_untouched
from grader.loading import decoded

Left = tuple[LeftOut, Origin]
Way = Callable[[tuple[str, ...]], Origin | None]
# A learner may hand in the whole course, and the solutions in it are not the learner's.
OF_THE_COURSE = {"solutions", "tests", "grader", "benchmarks", "docs", "tools"}


@dataclass
class Intake:
    """All that was found in a folder of submissions.

    Attributes:
        submissions: what counts, by learner and exercise.
        learners: all of them, with their IDs, also those who handed in nothing that is graded.
        left_out: files that are not graded, each with why.
        unread: those of them that nobody could read and that may be somebody's answer.
    """

    submissions: list[Submission] = field(default_factory=list)
    learners: dict[str, str] = field(default_factory=dict)
    left_out: list[LeftOut] = field(default_factory=list)
    unread: list[Unread] = field(default_factory=list)

    @cached_property
    def exercises(self) -> tuple[str, ...]:
        """The numbers of the exercises that anybody handed in; all, if nobody could tell of any."""
        read = {submission.rubric.number for submission in self.submissions}
        numbers = read | {file.number for file in self.unread if file.number and file.is_sure}
        numbers = numbers or {file.number for file in self.unread} - {""}
        return tuple(sorted(numbers or (course() if self.unread else ())))

    def unread_of(self, learner: str, number: str) -> tuple[Unread, ...]:
        """What may have been the learner's answer to an exercise, and could not be read."""
        return tuple(
            file for file in self.unread if file.learner == learner and file.number in ("", number)
        )


def collect(root: Path, due: datetime | None = None, scope: AssignmentScope = COURSE) -> Intake:
    """Find all submissions below a folder or in a zip.

    Args:
        root: the folder, or the zip that a platform gave out.
        due: what is handed in later is late.
        scope: which exercises are graded.

    Raises:
        OSError: the folder cannot be read.
        UnreadableError: Gradescope's metadata cannot be read.
    """
    found = list(files_of(root))
    if root.suffix.lower() == ".zip" and not root.is_dir():
        found = _without_wrapping(found)
    documents = [file for file in found if isinstance(file, Document)]
    metadata, receipts = gradescope(documents), nbgrader(root.resolve().stem, documents)
    # The first way that knows a file's path says whose it is; the plain one takes any.
    ways = (moodle_origin, canvas_origin, metadata.origin, receipts.origin, plain_origin)
    found = list(_without_notes(found, metadata.notes | receipts.notes))
    intake = Intake(left_out=[file for file in found if isinstance(file, LeftOut)])
    for learner, files, unread in _by_person(found, ways, intake):
        own = (file for file in unread if not _is_of_the_course(file[1].file, files))
        intake.unread += filter(None, (_unread(file, learner) for file in own))
        numbered = _by_exercise(learner, files, due, scope, intake)
        intake.submissions += [_last(several, intake) for several in numbered.values()]
        is_unread = any(file.learner == learner.learner for file in intake.unread)
        if numbered or learner.is_sure or is_unread:
            intake.learners[learner.learner] = learner.learner_id
    return intake


def _without_notes(
    found: Iterable[Document | LeftOut], believed: frozenset[tuple[str, ...]]
) -> Iterator[Document | LeftOut]:
    """The files without a platform's notes; one that a learner wrote is an ordinary file."""
    for file in found:
        if file.parts not in believed:
            is_note = isinstance(file, Document) and file.name in NOTES
            yield LeftOut(file.parts, NOT_READ, is_answer=False) if is_note else file


def _by_person(
    found: Iterable[Document | LeftOut], ways: tuple[Way, ...], intake: Intake
) -> Iterator[tuple[Origin, Files, list[Left]]]:
    """The files of each learner, under a name that no other learner has; also what was left out."""
    people: dict[tuple[str, str], Files] = {}
    unread = defaultdict[tuple[str, str], list[Left]](list)
    sure = dict[tuple[str, str], Origin]()
    for file in found:
        origin = next(filter(None, (way(file.parts) for way in ways)), None)
        if origin:
            person = (origin.learner, origin.learner_id)
            if origin.is_sure or person not in sure:
                sure[person] = origin
            files = people.setdefault(person, [])
            if isinstance(file, Document):
                files.append((file, origin))
            else:
                unread[person].append((file, origin))
        elif isinstance(file, Document):
            why = "says not whose it is: put it into a folder with the learner's name"
            intake.left_out.append(LeftOut(file.parts, why, is_answer=True))
    names = Counter(name for name, _ in people)
    for person, files in people.items():
        name, learner_id = person
        alone = f"{name} ({learner_id})" if names[name] > 1 and learner_id else name
        yield replace(sure[person], learner=alone), files, unread[person]


def _unread(left: Left, learner: Origin) -> Unread | None:
    """What was left out as somebody's unread answer; None if it does not look like an answer.

    Of a folder, a zip and a file with another name, nobody knows which exercises are in it.
    """
    left_out, origin = left
    is_folder, suffix = not origin.file[-1], Path(left_out.parts[-1]).suffix.lower()
    exercise = exercise_in_path((*origin.file[:-1], ".") if is_folder else origin.file)
    is_whole = exercise is not None and (exercise.is_whole or suffix in READ)
    may_hold_any = is_folder or suffix in (".zip", *ARCHIVES)
    may_be = bool(exercise) or suffix in READ  # a number or a suffix, in somebody's own folder
    if (is_folder and not left_out.is_answer) or not (
        is_whole or may_hold_any or (may_be and origin.is_sure)
    ):
        return None
    number = exercise.number if exercise and (is_whole or not may_hold_any) else ""
    return Unread(learner.learner, number, left_out.file, left_out.why, is_whole)


def _by_exercise(
    learner: Origin, files: Files, due: datetime | None, scope: AssignmentScope, intake: Intake
) -> dict[str, list[Submission]]:
    """A learner's files by the exercise that they answer."""
    found: dict[str, list[Submission]] = defaultdict(list)
    unclaimed: Files = []
    for document, origin in files:
        if _is_of_the_course(origin.file, files):
            continue
        # Moodle's number is another in each assignment, and so nobody's ID.
        learner_id = "" if "_assignsubmission_" in origin.place else learner.learner_id
        try:
            numbers = exercises_of(document, origin, scope, (learner.learner, learner_id))
        except UnreadableError as error:
            left_out = LeftOut(document.parts, str(error), is_answer=True)
            intake.left_out.append(left_out)
            intake.unread += filter(None, [_unread((left_out, origin), learner)])
            continue
        if not numbers:  # told of below, unless an answer imports it
            unclaimed.append((document, origin))
        for number in numbers:
            rubric = scope.rubric(number, learner.learner, learner_id)
            if rubric is None:
                why = f"answers {number}, which this assignment does not ask of {learner.learner}"
                is_asked = number in scope.asked
                intake.left_out.append(LeftOut(document.parts, why, is_asked))
                continue
            time = origin.handed_in or (document.modified if origin.is_dated else 0.0)
            found[number].append(
                Submission(
                    learner.learner,
                    learner.learner_id,
                    rubric,
                    "/".join(origin.file),
                    time,
                    document.modified,
                    origin.late or (due is not None and time > due.timestamp()),
                    origin.place,
                    document,
                    files,
                )
            )
    # What an answer imports is a part of it, and no hand-in that nobody can place.
    imported = set(_imported(found)) if unclaimed else set()
    why = "belongs to no exercise, by its name or by the classes that it defines"
    intake.left_out += [
        LeftOut(document.parts, why, is_answer=True)
        for document, origin in unclaimed
        if "/".join(origin.file) not in imported
    ]
    return found


def _imported(found: dict[str, list[Submission]]) -> Iterator[str]:
    """The files that some answer of the learner's imports."""
    for submission in (each for several in found.values() for each in several):
        with suppress(UnreadableError):
            folder = submission.file.rpartition("/")[0]
            yield from ("/".join(filter(None, (folder, file))) for file in submission.modules())


def exercises_of(
    document: Document, origin: Origin, scope: AssignmentScope, person: tuple[str, str]
) -> tuple[str, ...]:
    """Which exercises a file answers: what its name says, and for a notebook what is in it, too."""
    exercise = exercise_in_path(origin.file) or exercise_in_path(document.parts[-1:])
    if exercise and exercise.is_whole and not is_notebook(document.name):
        return (exercise.number,)
    inside = scope.numbers_in(_text(document), *person)
    if exercise and exercise.is_whole:
        return tuple(dict.fromkeys((exercise.number, *inside)))
    return inside or ((exercise.number,) if exercise else ())


def _text(document: Document) -> str:
    """The code in a file, as far as it takes to find classes in it."""
    content = document.read()
    if is_notebook(document.name):
        return "\n".join(cell.source for cell in code_cells(content))
    with suppress(UnicodeError, SyntaxError, LookupError):
        return decoded(content)
    return content.decode("utf-8", "replace")


def _last(submissions: list[Submission], intake: Intake) -> Submission:
    """The one that counts; the others are listed."""
    if len(submissions) == 1:
        return submissions[0]
    *earlier, last = sorted(submissions, key=_order)
    for submission in earlier:
        why = f"is replaced by {last.file}, which {last.learner} handed in later"
        intake.left_out.append(LeftOut(submission.document.parts, why, is_answer=False))
    return last


def _order(submission: Submission) -> tuple[bool, float, int, str]:
    exercise = exercise_in_path((submission.file,))
    version = exercise.version if exercise else 0
    time = submission.handed_in or submission.changed
    return (_is_changed(submission), time, version, submission.file)


def _is_changed(submission: Submission) -> bool:
    try:
        source = decoded(submission.source())
        return not is_untouched(source, submission.rubric.stem, submission.rubric.home)
    except (UnreadableError, SyntaxError, ValueError, LookupError, RecursionError, MemoryError):
        return True


def _is_of_the_course(file: tuple[str, ...], files: Files) -> bool:
    """Whether it lies in a folder of the course, beside the learner's `exercises/`."""
    for i, part in enumerate(file[:-1]):
        if part in OF_THE_COURSE:
            beside = (*file[:i], "exercises")
            if any(origin.file[: i + 1] == beside for _, origin in files):
                return True
    return False


def _without_wrapping(found: list[Document | LeftOut]) -> list[Document | LeftOut]:
    """The files of a zip without the one folder around the learners' folders, if there is one."""
    while found and len({file.parts[0] for file in found}) == 1:
        name = found[0].parts[:1]
        is_learners = name[0].lower().endswith(".zip") or moodle_origin(name) or canvas_origin(name)
        if is_learners or any(len(file.parts) < 3 for file in found):
            break
        found = [replace(file, parts=file.parts[1:]) for file in found]
    return found
