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


@dataclass(frozen=True)
class AssignmentScope:
    """The exercises of the course, or some of them; each learner may have variants.

    Attributes:
        asked: the numbers of what everybody has to hand in; empty if nobody said.
        folder: of the assignment that has variants.
        assignment: who has which; None if these are the course's own exercises.
    """

    asked: tuple[str, ...] = ()
    folder: Path = Path()
    assignment: Assignment | None = None

    def numbers_in(self, source: str, name: str, learner_id: str) -> tuple[str, ...]:
        """The exercises whose classes a learner's text defines.

        By the classes of the learner's variants; if it has none of these, of anybody's.
        """
        defined = set(re.findall(r"^class\s+(\w+)", source, re.MULTILINE))
        for named in (self._class_names(self._own(name, learner_id)), self._everybodys):
            if found := tuple(number for number in named if named[number] & defined):
                return found
        return ()

    def rubric(self, number: str, name: str, learner_id: str) -> Rubric | None:
        """What a learner's answer is judged by; None if it is not asked of this learner."""
        own = self._own(name, learner_id)
        is_asked = own and (not self.asked or number in self.asked)
        return self.rubric_of(number, own[0]) if is_asked else None

    def rubric_of(self, number: str, variant: str) -> Rubric:
        """The rubric of an exercise or of one of its variants."""
        rubric = course()[number]
        if self.assignment is None:
            return rubric
        return private_rubric(self.folder, self.assignment, rubric.stem, variant)

    def _own(self, name: str, learner_id: str) -> tuple[str, ...]:
        """The learner's variant, if there is one; of the course the exercise itself."""
        if self.assignment is None:
            return ("",)
        variant = self.assignment.variant_of(name, learner_id)
        return (variant,) if variant else ()

    @cached_property
    def _everybodys(self) -> dict[str, set[str]]:
        return self._class_names(self.assignment.variants if self.assignment else ("",))

    def _class_names(self, variants: Iterable[str]) -> dict[str, set[str]]:
        numbers = self.asked if self.assignment else course()
        return {n: {self.rubric_of(n, v).class_name for v in variants} for n in numbers}


COURSE = AssignmentScope()


def scope_of(folder: Path | None, asked: tuple[str, ...] = ()) -> AssignmentScope:
    """What an assignment's folder asks; without one, the course, or what is asked of it.

    Raises:
        AssignmentError: the folder holds no assignment.
    """
    if folder is None:
        return AssignmentScope(asked)
    assignment = read_assignment(folder)
    return AssignmentScope(assignment.numbers, folder, assignment)
