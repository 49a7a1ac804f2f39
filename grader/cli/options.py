"""What commands are asked for: options of several, and exercises, an assignment, or its folder."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import click

from grader import classroom, course

FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)
DEVICES, FORMATS = ["auto", "cuda", "simulated"], ["text", "json", "junit", "github"]
ON, HOW = "What to judge on.  [default: auto]", "github marks lines in a pull request"
# An audit's device may be set in pyproject.toml.
audit_device = click.option("--device", type=click.Choice(DEVICES), help=ON)
device = click.option("--device", type=click.Choice(DEVICES), default="auto", help=ON)
report_format = click.option(
    "--format", "form", type=click.Choice(FORMATS), default="text",
    help=f"How to print the report; {HOW}.",
)  # fmt: skip
audit_format = click.option(
    "--format", "form", type=click.Choice([*FORMATS, "sarif"]), default="text",
    help=f"How to print the report; {HOW}, sarif is for code scanning.",
)  # fmt: skip

roster = click.option(
    "--roster", type=FILE, metavar="FILE.csv",
    help="Who is enrolled, with columns such as name,id,section,group,email.",
)  # fmt: skip


def meant(command: Callable[..., None]) -> Callable[..., None]:
    """The options by which a project says which findings are meant."""
    code: dict[str, Any] = {"multiple": True, "metavar": "CODE"}
    file = {"type": click.Path(dir_okay=False, path_type=Path), "metavar": "FILE"}
    for name, text, kind in (
        ("select", "Tell findings of this code only.", code),
        ("ignore", "Leave out findings of this code.", code),
        ("baseline", "Leave out the findings in this file.", file),
        ("write-baseline", "Write the findings of today to this file, for --baseline.", file),
    ):
        command = click.option(f"--{name}", help=text, **kind)(command)
    return command


term = click.option(
    "--term", type=FILE, metavar="FILE.toml",
    help="Where an assignment is described.  [default: term.toml]",
)  # fmt: skip


def out(text: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """The folder that a command writes, which `text` describes."""
    folder = click.Path(file_okay=False, path_type=Path)
    return click.option("--out", type=folder, required=True, metavar="DIR", help=text)


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
    term: classroom.Term | None = None
    folder: Path | None = None

    @property
    def due(self) -> datetime | None:
        return self.term.due(self.name) if self.term else None

    @property
    def item(self) -> classroom.GradeItem:
        """All of it, with one mark."""
        rules = (self.term or classroom.NO_TERM).rules(self.name)
        return classroom.GradeItem(
            self.name or "Points", tuple(map(course.find, self.numbers)), rules
        )


def asked_for(names: Sequence[str], path: Path | None = None) -> Wanted:
    """What the names are of: exercises, or one assignment by its name or its folder; else all.

    Reads no rubric for a folder or without a term, since a batch's workers must not find any.

    Raises:
        TermError, AssignmentError, UnknownExerciseError: it cannot be read, or there is none.
    """
    path = path or (Path("term.toml") if Path("term.toml").exists() else None)
    described = classroom.read_term(path) if path else classroom.NO_TERM
    name = Path(names[0]).name if len(names) == 1 else ""
    if name and Path(names[0], classroom.TEACHER).is_dir():
        found = classroom.read_assignment(Path(names[0])).numbers
        return Wanted(name, found, described, Path(names[0]))
    if name in described.assignments:
        return Wanted(name, described.numbers(name), described)
    numbers = [_number(each, path, described) for each in names]
    return Wanted(
        name, tuple(numbers or (stem.split("_")[0] for stem in course.stems())), described
    )


def _number(name: str, path: Path | None, term: classroom.Term) -> str:
    """An exercise's; whoever meant an assignment reads where it was looked for."""
    try:
        return course.find(name).number
    except course.UnknownExerciseError as error:
        if Path(name).is_dir():
            classroom.read_assignment(Path(name))  # which says what it lacks
        known = ", ".join(term.assignments) or "none"
        looked = (
            f"{path} has no assignment {name}. It has: {known}."
            if path
            else "An assignment of several is described in a term.toml, and there is no term.toml "
            "here: name one with --term FILE.toml."
        )
        raise course.UnknownExerciseError(f"{error} {looked}") from None
