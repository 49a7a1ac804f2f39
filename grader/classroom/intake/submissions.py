"""What a class handed in: for each learner and exercise, the submission that counts.

Of several the last in time counts, late or not: it is what the learner meant to hand in, and what
Canvas, Moodle and Gradescope give out as well. It carries its `late`, and what it replaced is
listed. A starter that nobody changed replaces nothing.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
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
    Unread,
    UnreadableError,
)
from grader.classroom.intake.exercises import course, exercise_in_path
from grader.classroom.intake.files import files_of
from grader.classroom.intake.notebooks import code_cells
from grader.classroom.intake.notes import noted_in
from grader.classroom.intake.origin import Origin, canvas_origin, moodle_origin, origin_of
from grader.classroom.intake.scope import COURSE, AssignmentScope
from grader.classroom.intake.submission import Answer, is_notebook
from grader.classroom.scratch import Scratch
from grader.course import is_untouched
from grader.loading import decoded

# A learner may hand in the whole course, and the solutions in it are not the learner's.
OF_THE_COURSE = {"solutions", "tests", "grader", "benchmarks", "docs", "tools"}


@dataclass
class Intake:
    """All that was found in a folder of submissions.

    Attributes:
        answers: what counts, by learner and exercise.
        learners: all of them, with their IDs, also those who handed in nothing that is graded.
        left_out: files that are not graded, each with why.
        unread: those of them that nobody could read and that may be somebody's answer.
        unpacked: where the files of zips lie.
    """

    answers: list[Answer] = field(default_factory=list)
    learners: dict[str, str] = field(default_factory=dict)
    left_out: list[Document] = field(default_factory=list)
    unread: list[Unread] = field(default_factory=list)
    unpacked: Scratch = field(default_factory=Scratch)

    @cached_property
    def exercises(self) -> tuple[str, ...]:
        """The numbers of the exercises that anybody handed in; all, if nobody could tell of any."""
        read = {answer.rubric.number for answer in self.answers}
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
    intake = Intake()
    found = list(files_of(root, Path(intake.unpacked.name)))
    if root.suffix.lower() == ".zip" and not root.is_dir():
        found = _without_wrapping(found)
    for learner, files in _by_person(_with_origins(found, root.resolve().stem), intake):
        own = (file for file in files if file.why and not _is_of_the_course(file, files))
        intake.unread += filter(None, (_unread(file, learner) for file in own))
        numbered = _by_exercise(learner, files, due, scope, intake)
        intake.answers += [_last(several, intake) for several in numbered.values()]
        is_unread = any(file.learner == learner.learner for file in intake.unread)
        if numbered or learner.is_sure or is_unread:
            intake.learners[learner.learner] = learner.learner_id
    return intake


def _with_origins(found: list[Document], name: str) -> Iterator[Document]:
    """The files, each with whose it is, without a platform's notes on the class of that name.

    A note that a learner wrote is an ordinary file.
    """
    documents = [file for file in found if not file.why]
    noted, believed = noted_in(name, documents)
    for file in found:
        if file.parts not in believed:
            is_note = file.name in NOTES and not file.why
            file = file.left_out(NOT_READ, is_answer=False) if is_note else file
            yield replace(file, origin=origin_of(file.parts, noted))


def _by_person(
    found: Iterable[Document], intake: Intake
) -> Iterator[tuple[Origin, list[Document]]]:
    """The files of each learner, under a name that no other learner has."""
    people = defaultdict[tuple[str, str], list[Document]](list)
    for file in found:
        is_somebodys = file.origin.learner != ""
        if is_somebodys:
            people[file.origin.learner, file.origin.learner_id].append(file)
        elif not file.why:
            file = file.left_out(
                "says not whose it is: put it into a folder with the learner's name"
            )
        intake.left_out += [file] if file.why else []
    names = Counter(name for name, _ in people)
    for (name, learner_id), files in people.items():
        alone = f"{name} ({learner_id})" if names[name] > 1 and learner_id else name
        is_sure = any(file.origin.is_sure for file in files)
        yield replace(files[0].origin, learner=alone, is_sure=is_sure), files


def _unread(file: Document, learner: Origin) -> Unread | None:
    """What was left out as somebody's unread answer; None if it does not look like an answer.

    Of a folder, a zip and a file with another name, nobody knows which exercises are in it.
    """
    is_folder, suffix = not file.own[-1], Path(file.name).suffix.lower()
    exercise = exercise_in_path((*file.own[:-1], ".") if is_folder else file.own)
    is_whole = exercise is not None and (exercise.is_whole or suffix in READ)
    may_hold_any = is_folder or suffix in (".zip", *ARCHIVES)
    may_be = bool(exercise) or suffix in READ  # a number or a suffix, in somebody's own folder
    if (is_folder and not file.is_answer) or not (
        is_whole or may_hold_any or (may_be and file.origin.is_sure)
    ):
        return None
    number = exercise.number if exercise and (is_whole or not may_hold_any) else ""
    return Unread(learner.learner, number, file, is_whole)


def _by_exercise(
    learner: Origin,
    files: list[Document],
    due: datetime | None,
    scope: AssignmentScope,
    intake: Intake,
) -> dict[str, list[Answer]]:
    """A learner's files by the exercise that they answer."""
    found: dict[str, list[Answer]] = defaultdict(list)
    unclaimed: list[Document] = []
    # Moodle's number is another in each assignment, and so nobody's ID.
    learner_id = "" if learner.platform == "moodle" else learner.learner_id
    documents = [file for file in files if not file.why]
    for document in documents:
        if _is_of_the_course(document, files):
            continue
        try:
            numbers = exercises_of(document, scope, (learner.learner, learner_id))
        except UnreadableError as error:
            left_out = document.left_out(str(error))
            intake.left_out.append(left_out)
            intake.unread += filter(None, [_unread(left_out, learner)])
            continue
        if not numbers:  # told of below, unless an answer imports it
            unclaimed.append(document)
        for number in numbers:
            rubric = scope.rubric(number, learner.learner, learner_id)
            if rubric is None:
                why = f"answers {number}, which this assignment does not ask of {learner.learner}"
                is_asked = number in scope.asked
                intake.left_out.append(document.left_out(why, is_answer=is_asked))
                continue
            origin = document.origin
            time = origin.handed_in or (document.modified if origin.is_dated else 0.0)
            late = origin.late or (due is not None and time > due.timestamp())
            who = (learner.learner, learner.learner_id)
            found[number].append(Answer(*who, rubric, time, late, document, documents))
    # What an answer imports is a part of it, and no hand-in that nobody can place.
    imported = set(_imported(found)) if unclaimed else set()
    why = "belongs to no exercise, by its name or by the classes that it defines"
    intake.left_out += [
        document.left_out(why) for document in unclaimed if "/".join(document.own) not in imported
    ]
    return found


def _imported(found: dict[str, list[Answer]]) -> Iterator[str]:
    """The files that some answer of the learner's imports."""
    for answer in (each for several in found.values() for each in several):
        with suppress(UnreadableError):
            folder = answer.file.rpartition("/")[0]
            yield from ("/".join(filter(None, (folder, file))) for file in answer.modules())


def exercises_of(
    document: Document, scope: AssignmentScope, person: tuple[str, str]
) -> tuple[str, ...]:
    """Which exercises a file answers: what its name says, and for a notebook what is in it, too."""
    exercise = exercise_in_path(document.own) or exercise_in_path(document.parts[-1:])
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


def _last(answers: list[Answer], intake: Intake) -> Answer:
    """The one that counts; the others are listed."""
    if len(answers) == 1:
        return answers[0]
    *earlier, last = sorted(answers, key=_order)
    why = f"is replaced by {last.file}, which {last.learner} handed in later"
    intake.left_out += [answer.document.left_out(why, is_answer=False) for answer in earlier]
    return last


def _order(answer: Answer) -> tuple[bool, float, int, str]:
    exercise = exercise_in_path((answer.file,))
    version = exercise.version if exercise else 0
    time = answer.handed_in or answer.document.modified
    return (_is_changed(answer), time, version, answer.file)


def _is_changed(answer: Answer) -> bool:
    try:
        source = decoded(answer.source())
        return not is_untouched(source, answer.rubric.stem, answer.rubric.home)
    except (UnreadableError, SyntaxError, ValueError, LookupError, RecursionError, MemoryError):
        return True


def _is_of_the_course(document: Document, files: list[Document]) -> bool:
    """Whether it lies in a folder of the course, beside the learner's `exercises/`."""
    for i, part in enumerate(document.own[:-1]):
        if part in OF_THE_COURSE:
            beside = (*document.own[:i], "exercises")
            if any(file.own[: i + 1] == beside for file in files):
                return True
    return False


def _without_wrapping(found: list[Document]) -> list[Document]:
    """The files of a zip without the one folder around the learners' folders, if there is one."""
    while found and len({file.parts[0] for file in found}) == 1:
        name = found[0].parts[:1]
        is_learners = name[0].lower().endswith(".zip") or moodle_origin(name) or canvas_origin(name)
        if is_learners or any(len(file.parts) < 3 for file in found):
            break
        found = [replace(file, parts=file.parts[1:]) for file in found]
    return found
