"""Which exercises a batch grades, and by which rubrics: the course's, or those of an assignment."""

from __future__ import annotations

import re
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

    def numbers_in(self, source: str) -> tuple[str, ...]:
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
    """The one exercise of an assignment, of which each learner may have a variant."""

    folder: Path
    assignment: Assignment

    @property
    def asked(self) -> tuple[str, ...]:
        return (self.assignment.stem.split("_")[0],)

    def numbers_in(self, source: str) -> tuple[str, ...]:
        """The assignment's, if the text defines the class of any of its variants."""
        return self.asked if _classes(source) & self._class_names else ()

    def rubric(self, number: str, name: str, learner_id: str) -> Rubric | None:
        """That of the learner's variant; None for another exercise, and for who has no variant."""
        variant = self.assignment.variant_of(name, learner_id)
        return self._variant(variant) if variant and number in self.asked else None

    def rubric_of(self, number: str, variant: str) -> Rubric:
        return self._variant(variant)

    @cached_property
    def _class_names(self) -> frozenset[str]:
        return frozenset(self._variant(name).class_name for name in self.assignment.variants)

    def _variant(self, name: str) -> Rubric:
        return private_rubric(self.folder, self.assignment, name)


COURSE = AssignmentScope()


def scope_of(folder: Path | None, asked: tuple[str, ...] = ()) -> AssignmentScope:
    """What an assignment's folder asks; without one, the course, or what is asked of it.

    Raises:
        AssignmentError: the folder holds no assignment.
    """
    return Assigned(folder, read_assignment(folder)) if folder else AssignmentScope(asked)


def _classes(source: str) -> set[str]:
    return set(re.findall(r"^class\s+(\w+)", source, re.MULTILINE))
