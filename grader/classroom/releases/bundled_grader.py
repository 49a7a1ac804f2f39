"""What a released folder carries, so that it grades by itself: the grader, as a wheel."""

from __future__ import annotations

import re
import stat
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import Distribution, PackageNotFoundError, distribution, version
from pathlib import Path
from string import Template

from grader.classroom.results.exports.feedback import zipped
from grader.course import PACKAGE, solution_file
from grader.loading import LoadingError

TEMPLATES = Path(__file__).parent / "templates"
WHEEL = "Wheel-Version: 1.0\nGenerator: grader\nRoot-Is-Purelib: true\nTag: py3-none-any\n"


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
    """The grader and the course as a wheel, and which versions of other packages are here.

    Raises:
        LoadingError: the grader is not installed, so nothing says what it needs.
    """
    try:
        found = distribution("wheres-my-tensor")
    except PackageNotFoundError:
        raise LoadingError(
            "The grader is not installed here, so nothing says which packages a release needs. "
            "Install it: python -m pip install -e ."
        ) from None
    yield File(f"{folder}/{wheel_name()}", _wheel(found))
    yield File(f"{folder}/constraints.txt", "".join(_constraints(found)).encode())


def wheel_name() -> str:
    return f"wheres_my_tensor-{version('wheres-my-tensor')}-py3-none-any.whl"


def _wheel(found: Distribution) -> bytes:
    course = solution_file("").parent.parent
    files = dict(_files(PACKAGE, "grader"))
    for name in ("notebooks", "solutions"):
        files |= _files(course / name, f"grader/course/{name}")
    info = f"{wheel_name().rpartition('-py3')[0]}.dist-info"
    metadata = found.read_text("METADATA") or ""
    files |= {f"{info}/METADATA": metadata.encode(), f"{info}/WHEEL": WHEEL.encode()}
    listed = "".join(f"{path},,\n" for path in (*files, f"{info}/RECORD"))
    return zipped({**files, f"{info}/RECORD": listed.encode()})


def _files(folder: Path, name: str) -> Iterator[tuple[str, bytes]]:
    for path in sorted(folder.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            yield f"{name}/{path.relative_to(folder).as_posix()}", path.read_bytes()


def _constraints(found: Distribution) -> Iterator[str]:
    """The version here of each package that the grader asks for.

    A build such as +cpu is for the machine that installs to choose.
    """
    for name in sorted({re.split(r"[^\w.-]", line)[0] for line in found.requires or ()}):
        with suppress(PackageNotFoundError):  # for another system than this
            yield f"{name}=={version(name).partition('+')[0]}\n"


def template(name: str, **values: object) -> bytes:
    """A file of templates/, its `$names` filled in."""
    return Template((TEMPLATES / name).read_text(encoding="utf-8")).substitute(values).encode()
