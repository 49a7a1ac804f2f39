"""Which exercises a batch grades, and by which rubrics: the course's, or those of an assignment."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from grader.classroom.assignments.folder import Assignment, private_rubric, read_assignment
from grader.classroom.intake.exercises import course
from grader.schema import Rubric


class AssignmentScope:
    """The exercises of the course, or some of them, the same for all."""

    def __init__(self, asked: tuple[str, ...] = ()) -> None:
        self._asked = asked

    @property
    def asked(self) -> tuple[str, ...]:
        """The numbers of what everybody has to hand in; empty if nobody said."""
        return self._asked

    def numbers_in(self, source: str, name: str, learner_id: str) -> tuple[str, ...]:
        """The exercises whose classes a learner's text defines."""
        defined = _classes(source)
        return tuple(rubric.number for rubric in course().values() if rubric.class_name in defined)

    def rubric(self, number: str, name: str, learner_id: str) -> Rubric | None:
        """What a learner's answer is judged by; None if it is not asked of this learner."""
        return None if self.asked and number not in self.asked else course()[number]

    def rubric_of(self, number: str, variant: str) -> Rubric:
        """The rubric of an exercise or of one of its variants."""
        return course()[number]


@dataclass(frozen=True)
class Assigned(AssignmentScope):
    """The exercises of an assignment, of which each learner may have variants."""

    folder: Path
    assignment: Assignment

    @property
    def asked(self) -> tuple[str, ...]:
        return self.assignment.numbers

    def numbers_in(self, source: str, name: str, learner_id: str) -> tuple[str, ...]:
        """By the classes of the learner's variants; if it has none of these, of anybody's."""
        defined, own = _classes(source), self.assignment.variant_of(name, learner_id)
        for named in (self._class_names((own,)) if own else {}, self._everybodys):
            if found := tuple(number for number in named if named[number] & defined):
                return found
        return ()

    def rubric(self, number: str, name: str, learner_id: str) -> Rubric | None:
        """That of the learner's variant; None for another exercise, and for who has no variant."""
        variant = self.assignment.variant_of(name, learner_id)
        return self.rubric_of(number, variant) if variant and number in self.asked else None

    def rubric_of(self, number: str, variant: str) -> Rubric:
        return private_rubric(self.folder, self.assignment, course()[number].stem, variant)

    @cached_property
    def _everybodys(self) -> dict[str, set[str]]:
        return self._class_names(self.assignment.variants)

    def _class_names(self, variants: Iterable[str]) -> dict[str, set[str]]:
        return {n: {self.rubric_of(n, v).class_name for v in variants} for n in self.asked}


COURSE = AssignmentScope()


def scope_of(folder: Path | None, asked: tuple[str, ...] = ()) -> AssignmentScope:
    """What an assignment's folder asks; without one, the course, or what is asked of it.

    Raises:
        AssignmentError: the folder holds no assignment.
    """
    return Assigned(folder, read_assignment(folder)) if folder else AssignmentScope(asked)


def _classes(source: str) -> set[str]:
    return set(re.findall(r"^class\s+(\w+)", source, re.MULTILINE))
