"""What a released folder carries, so that it grades by itself: the grader as it is here."""

from __future__ import annotations

import re
import stat
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from string import Template

from grader.course import PACKAGE, solution_file, stems
from grader.loading import LoadingError

TEMPLATES = Path(__file__).parent / "templates"
EXTRAS = ("learn", "classroom")  # what a release uses besides the grader's own dependencies


@dataclass(frozen=True)
class File:
    """One file of a release: its path there, and whether it is run as a command."""

    path: str
    content: bytes
    is_command: bool = False

    @property
    def mode(self) -> int:
        return stat.S_IFREG | (0o755 if self.is_command else 0o644)


def grader_files(folder: str) -> Iterator[File]:
    """The grader and what it judges by, for a folder that is put on Python's path."""
    for path in sorted(PACKAGE.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            name = path.relative_to(PACKAGE.parent).as_posix()
            yield File(f"{folder}/{name}", path.read_bytes())
    for solution in map(solution_file, stems()):
        if not solution.is_relative_to(PACKAGE):
            yield File(f"{folder}/solutions/{solution.name}", solution.read_bytes())


def requirements() -> str:
    """What the grader needs to grade, in the versions that are installed here, a line each.

    Raises:
        LoadingError: the grader is not installed, so nothing says what it needs.
    """
    return "".join(f"{_pin(line)}\n" for line in sorted(_needed()))


def _needed() -> list[str]:
    """What a checkout asks for may be newer than what was noted when it was installed."""
    file = PACKAGE.parent / "pyproject.toml"
    if file.exists():
        project = tomllib.loads(file.read_text(encoding="utf-8"))["project"]
        extras = project["optional-dependencies"]
        return [*project["dependencies"], *(line for extra in EXTRAS for line in extras[extra])]
    try:
        needed = requires("wheres-my-tensor") or []
    except PackageNotFoundError:
        raise LoadingError(
            "The grader is not installed here, so nothing says which packages a release needs. "
            "Install it: python -m pip install -e ."
        ) from None
    return [line for line in map(_without_extra, needed) if "extra ==" not in line]


def _without_extra(line: str) -> str:
    """A requirement of one of EXTRAS, as if it were of the package itself."""
    return re.sub(rf"\s*(;|and) extra == ['\"]({'|'.join(EXTRAS)})['\"]$", "", line)


def _pin(line: str) -> str:
    needed, semicolon, system = line.partition(";")
    name = re.split(r"[^\w.-]", needed, maxsplit=1)[0]
    try:
        # A build such as +cpu is for the machine that installs to choose.
        return f"{name}=={version(name).partition('+')[0]}{semicolon}{system}"
    except PackageNotFoundError:
        return line  # for another system than this


def template(name: str, **values: object) -> bytes:
    """A file of templates/, its `$names` filled in."""
    return Template((TEMPLATES / name).read_text(encoding="utf-8")).substitute(values).encode()
