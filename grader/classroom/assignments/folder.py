"""An assignment's folder: what is handed out, and what stays with the teacher.

| path | what it is |
| --- | --- |
| `hand_out/STEM/STEM.py` | the starter, to edit; with a roster in a folder for each learner |
| `hand_out/STEM/variant.json`, `starter.py` | for `grader check`, without the solution |
| `teacher/` | of mode 0700: `grader batch --assignment` reads it, and nobody else |
| `teacher/assignment.json` | who has which variant |
| `teacher/STEM/VARIANT/` | `variant.json`, `starter.py` and `solution.py` |
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from grader.classroom.names import in_ascii
from grader.course import TEMPLATES, Variant, load_rubric
from grader.errors import GraderError
from grader.schema import RUBRIC, Rubric

HAND_OUT, TEACHER, INDEX = "hand_out", "teacher", "assignment.json"
FOR_ALL = ("class", "")  # in place of a learner's name and ID


class AssignmentError(GraderError, ValueError):
    """There is no such assignment, or none can be made there."""


class Person(msgspec.Struct, frozen=True):
    """A learner, and the name of the variant."""

    name: str
    learner_id: str
    variant: str


class Assignment(msgspec.Struct, frozen=True):
    """What `assignment.json` says.

    Attributes:
        stems: its exercises, in the order of the course.
        seed: what the variants were drawn by.
        people: who has which; empty if all have the same.
    """

    stems: tuple[str, ...]
    seed: int
    people: tuple[Person, ...] = ()

    @property
    def variants(self) -> tuple[str, ...]:
        return tuple(person.variant for person in self.people) or (self._for_all,)

    @property
    def _for_all(self) -> str:
        return variant_name(self.seed, *FOR_ALL)

    @property
    def numbers(self) -> tuple[str, ...]:
        return tuple(stem.split("_")[0] for stem in self.stems)

    def variant_of(self, name: str, learner_id: str) -> str:
        """The name of a learner's variant, by the ID, else by the name; `""` if there is none.

        Who is named like a variant has that one: so a learner's repository is called.
        """
        if not self.people:
            return self._for_all
        by_id = {person.learner_id: person.variant for person in self.people if person.learner_id}
        by_name = {variant.casefold(): variant for variant in self.variants}
        by_name |= {person.name.casefold(): person.variant for person in self.people}
        return by_id.get(learner_id) or by_name.get(name.casefold(), "")


def new_assignment(
    numbers: Iterable[str], seed: int, folder: Path, people: Iterable[tuple[str, str]] = ()
) -> Assignment:
    """Draw the variants and write the folder.

    Args:
        numbers: the exercises'.
        seed: the same gives the same variants.
        folder: where; it must not hold an assignment.
        people: names and IDs; a variant for each, or one for all if there is nobody.

    Raises:
        AssignmentError: no variants of an exercise can be drawn, or one is there already.
        OSError: the folder cannot be written.
    """
    asked = sorted(set(numbers))
    if none := [number for number in asked if number not in TEMPLATES]:
        known = ", ".join(sorted(TEMPLATES))
        raise AssignmentError(f"No variants of {none[0]} can be drawn. They can of {known}.")
    if (folder / TEACHER).exists():
        raise AssignmentError(f"{folder} holds an assignment already. Name another folder.")
    having = tuple(Person(name, key, variant_name(seed, name, key)) for name, key in people)
    assignment = Assignment(tuple(TEMPLATES[number][0] for number in asked), seed, having)
    (folder / TEACHER).mkdir(parents=True, mode=0o700)
    for name in assignment.variants:
        handed_out = folder / HAND_OUT / (name if having else "")
        for stem, variant in _drawn(asked, seed, name):
            _write(folder / TEACHER / stem / name, variant.rubric, variant, "solution.py")
            _write(handed_out / stem, variant.learners, variant, f"{stem}.py")
    (folder / TEACHER / INDEX).write_bytes(msgspec.json.format(msgspec.json.encode(assignment)))
    return assignment


def _drawn(numbers: Iterable[str], seed: int, name: str) -> Iterator[tuple[str, Variant]]:
    """A learner's variant of each exercise; by its class, a notebook tells which it answers."""
    classes: set[str] = set()
    for stem, draw in map(TEMPLATES.__getitem__, numbers):
        chance = random.Random(f"{seed} {stem} {name}")
        variant = draw(chance)
        while variant.rubric.class_name in classes:
            variant = draw(chance)
        classes.add(variant.rubric.class_name)
        yield stem, variant


def read_assignment(folder: Path) -> Assignment:
    """The assignment in a folder.

    Raises:
        AssignmentError: there is none.
    """
    path = folder / TEACHER / INDEX
    try:
        return msgspec.json.decode(path.read_bytes(), type=Assignment)
    except (OSError, msgspec.DecodeError) as error:
        raise AssignmentError(f"{folder} holds no assignment that can be read: {error}") from None


def private_rubric(folder: Path, assignment: Assignment, stem: str, variant: str) -> Rubric:
    """That by which marks are given.

    Raises:
        AssignmentError: the assignment has no such variant.
    """
    if stem not in assignment.stems or variant not in assignment.variants:
        raise AssignmentError(
            f"{folder} has no variant {variant} of {stem}: it is another assignment."
        )
    return load_rubric(stem, str((folder / TEACHER / stem / variant).resolve()))


def variant_name(seed: int, name: str, learner_id: str) -> str:
    """A folder's name for a learner that no other learner's or assignment's can equal."""
    readable = in_ascii(name)
    text = f"{seed}\0{name}\0{learner_id}".encode("utf-8", "surrogatepass")
    return f"{readable}-{hashlib.sha256(text).hexdigest()[:8]}".lstrip("-")


def _write(folder: Path, rubric: Rubric, variant: Variant, answer: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / RUBRIC).write_bytes(msgspec.json.format(msgspec.json.encode(rubric)))
    (folder / "starter.py").write_text(variant.starter, encoding="utf-8")
    text = variant.solution if answer == "solution.py" else variant.starter
    (folder / answer).write_text(text, encoding="utf-8")
