"""The course: its exercises and notebooks, in order, and where their files are."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from grader.course.numbers import full_number
from grader.course.rubrics import load_rubric
from grader.errors import GraderError
from grader.loading import LoadingError
from grader.schema import Rubric

COURSE = Path(__file__).parent
PACKAGE = COURSE.parent
STARTERS = COURSE / "starters.json"
# A wheel carries notebooks/ and solutions/ inside this wing; a checkout has them at its top.
SOURCE = COURSE if (COURSE / "notebooks").is_dir() else PACKAGE.parent


class UnknownExerciseError(GraderError, LookupError):
    """No exercise has that number or name."""


def stems() -> tuple[str, ...]:
    """The stems of all exercises, in the order of the course."""
    return tuple(sorted(path.stem for path in (COURSE / "rubrics").glob("[0-9]*.py")))


def all_rubrics() -> tuple[Rubric, ...]:
    """The rubrics of all exercises, in the order of the course."""
    return tuple(load_rubric(stem) for stem in stems())


def find(name: str | int) -> Rubric:
    """The exercise called `name`: `03`, `3`, `5b` or `03_member_tensors`; in a notebook also 3.

    Raises:
        UnknownExerciseError: there is none, or it is a class.
    """
    if isinstance(name, type):  # in a notebook
        asks = (r.number for r in all_rubrics() if r.class_name == name.__name__)
        call = f'"{next(asks, "03")}", {name.__name__}'
        raise UnknownExerciseError(f"Name the exercise before the class, such as check({call}).")
    number = full_number(name)
    for stem in stems():
        if number in (stem, stem.split("_")[0]):
            return load_rubric(stem)
    known = ", ".join(stem.split("_")[0] for stem in stems())
    raise UnknownExerciseError(
        f"There is no exercise {number}. There are {known}: see `grader list`."
    )


def of_another(rubric: Rubric, classes: Iterable[str]) -> str:
    """`Normalizer, the class of exercise 03`, if one of these is another exercise's, else `""`."""
    named = set(classes) - {rubric.class_name}
    found = (
        f"{r.class_name}, the class of exercise {r.number}"
        for r in all_rubrics()
        if r.class_name in named
    )
    return next(found, "")


def find_by_file(path: Path, classes: tuple[str, ...]) -> Rubric:
    """The exercise that a file answers, by its name (`ada_03_member_tensors.py`) or its classes.

    Raises:
        UnknownExerciseError: neither tells.
    """
    for stem in stems():
        if path.stem.endswith(stem):
            return load_rubric(stem)
    matching = [rubric for rubric in all_rubrics() if rubric.class_name in classes]
    if len(matching) == 1:
        return matching[0]
    known = ", ".join(rubric.class_name for rubric in all_rubrics())
    raise UnknownExerciseError(
        f"{path} belongs to no exercise: its name does not end in an exercise's name "
        f"(such as {stems()[0]}.py), and it defines none of their classes ({known})."
    )


def course_root() -> Path:
    """The folder that holds exercises/: the nearest one upwards, else the checkout, else here."""
    here = Path.cwd()
    for folder in (here, *here.parents, PACKAGE.parent):
        if (folder / "exercises").is_dir() and (folder / "notebooks").is_dir():
            return folder
    return here


def require_course() -> Path:
    """The same, where there must be one.

    Raises:
        LoadingError: there is none.
    """
    root = course_root()
    if not (root / "exercises").is_dir():
        raise LoadingError(
            f"There is no course in {root}, nor in a folder above it: no exercises/ and notebooks/ "
            "side by side. `grader lab my-course` lays one out in the folder my-course; then work "
            "in there."
        )
    return root


def exercise_file(stem: str) -> Path:
    return course_root() / "exercises" / f"{stem}.py"


def solution_file(stem: str) -> Path:
    return SOURCE / "solutions" / f"{stem}.py"


def solution_of(rubric: Rubric) -> Path:
    return Path(rubric.home, "solution.py") if rubric.home else solution_file(rubric.stem)


def starter_of(rubric: Rubric) -> str:
    """What a learner is given, also of a variant."""
    return _starter(rubric.stem, rubric.home)


def notebooks() -> tuple[Path, ...]:
    """The notebooks that the grader came with, in the order of the course."""
    return tuple(sorted((SOURCE / "notebooks").glob("[0-9]*.ipynb")))


def cheat_sheet() -> Path:
    """The course on one page, which a notebook links to."""
    return SOURCE / "docs" / "cheat_sheet.md"


def notebook_settings() -> tuple[Path, ...]:
    """The files that `pytest --nbval notebooks/` reads beside the notebooks."""
    names = ("conftest.py", "nbval_sanitize.cfg", "pytest.ini")
    return tuple(SOURCE / "notebooks" / name for name in names)


def starter(stem: str) -> str:
    """The exercise as it was before anyone edited it."""
    return str(json.loads(STARTERS.read_text(encoding="utf-8"))[stem])


def is_untouched(source: str, stem: str, home: str = "") -> bool:
    """Whether `source` says just what the starter says, comments and spaces aside.

    Args:
        source: a file's text.
        stem: the exercise's.
        home: as in its rubric.
    """
    try:
        return _syntax_of(source) == _starter_syntax(stem, home)
    except RecursionError:  # Python parses deeper trees than `ast.dump` can print
        return False


def _starter(stem: str, home: str) -> str:
    return Path(home, "starter.py").read_text(encoding="utf-8") if home else starter(stem)


@cache
def _starter_syntax(stem: str, home: str) -> str:
    return _syntax_of(_starter(stem, home))


def _syntax_of(source: str) -> str:
    return ast.dump(ast.parse(source))


def is_untouched_class(nodes: Iterable[ast.ClassDef], rubric: Rubric) -> bool:
    """Whether a class, written in one cell or several, says just what the starter's class says."""
    original = {ast.dump(node) for node in ast.parse(starter_of(rubric)).body}
    whole = joined(nodes)
    return bool(whole) and original.issuperset(map(ast.dump, whole))


def joined(statements: Iterable[ast.stmt]) -> list[ast.stmt]:
    """The statements; a class that goes on in a later cell, as `class A(A):`, in one piece."""
    made: dict[str, ast.stmt] = {}
    for i, node in enumerate(statements):
        name = node.name if isinstance(node, ast.ClassDef) else str(i)
        first = made.get(name)
        if isinstance(node, ast.ClassDef) and isinstance(first, ast.ClassDef):
            goes_on = [ast.unparse(base) for base in node.bases] == [name]
            body = [*first.body, *node.body] if goes_on else node.body
            node = ast.ClassDef(**{**vars(first if goes_on else node), "body": body})
        made[name] = node
    return list(made.values())
