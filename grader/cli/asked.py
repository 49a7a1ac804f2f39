"""What a command is asked for: exercises, an assignment of `term.toml`, or a folder of variants."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from grader.classroom import GradeItem, Term

term = click.option(
    "--term",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE.toml",
    help="Where an assignment is described.  [default: term.toml]",
)


@dataclass(frozen=True)
class Wanted:
    """Exercises, with what the term says of them together; nothing if nothing was asked for.

    Attributes:
        name: the assignment's; `""` if it has none.
        numbers: of the exercises.
        folder: that `grader assignment new` made, if these are variants of them.
    """

    name: str = ""
    numbers: tuple[str, ...] = ()
    term: Term | None = None
    folder: Path | None = None

    @property
    def due(self) -> datetime | None:
        return self.term.due(self.name) if self.term else None

    @property
    def item(self) -> GradeItem:
        """All of it, with one mark."""
        from grader.classroom import NO_TERM, GradeItem
        from grader.course import find

        rules = (self.term or NO_TERM).rules(self.name)
        return GradeItem(self.name or "Points", tuple(map(find, self.numbers)), rules)


def asked_for(names: Sequence[str], path: Path | None = None) -> Wanted:
    """What the names are of: exercises, or one assignment by its name or its folder; else all.

    Reads no rubric for a folder or without a term, since a batch's workers must not find any.

    Raises:
        TermError, AssignmentError, UnknownExerciseError: it cannot be read, or there is none.
    """
    from grader.classroom import NO_TERM, TEACHER, read_assignment, read_term
    from grader.course import stems

    path = path or (Path("term.toml") if Path("term.toml").exists() else None)
    described = read_term(path) if path else NO_TERM
    name = Path(names[0]).name if len(names) == 1 else ""
    if name and Path(names[0], TEACHER).is_dir():
        found = read_assignment(Path(names[0])).numbers
        return Wanted(name, found, described, Path(names[0]))
    if name in described.assignments:
        return Wanted(name, described.numbers(name), described)
    numbers = [_number(each, path, described) for each in names]
    return Wanted(name, tuple(numbers or (stem.split("_")[0] for stem in stems())), described)


def _number(name: str, path: Path | None, term: Term) -> str:
    """An exercise's; whoever meant an assignment reads where it was looked for."""
    from grader.classroom import read_assignment
    from grader.course import UnknownExerciseError, find

    try:
        return find(name).number
    except UnknownExerciseError as error:
        if Path(name).is_dir():
            read_assignment(Path(name))  # which says what it lacks
        known = ", ".join(term.assignments) or "none"
        looked = (
            f"{path} has no assignment {name}. It has: {known}."
            if path
            else "An assignment of several is described in a term.toml, and there is no term.toml "
            "here: name one with --term FILE.toml."
        )
        raise UnknownExerciseError(f"{error} {looked}") from None
