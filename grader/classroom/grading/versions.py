"""What decides a verdict, as one short text: another text means that it has to be reached again."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

from grader.course import PACKAGE, solution_of
from grader.schema import RUBRIC, Rubric

# What runs a submission, what judges the evidence, and what both of them read.
JUDGES = (
    "grading/flags",
    "grading/grade.py",
    "grading/reference.py",
    "judge",
    "loading.py",
    "probe",
    "schema",
    "course/rubrics/__init__.py",
    "simulated_cuda",
)
SOURCE = (".py", ".cpp", ".h")


def rubric_version(rubric: Rubric) -> str:
    """A digest of the rubric, its solution, and the code that judges by them."""
    digest = hashlib.sha256(_judges())
    own = PACKAGE / "course" / "rubrics" / f"{rubric.stem}.py"
    for path in (Path(rubric.home, RUBRIC) if rubric.home else own, solution_of(rubric)):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


@cache
def _judges() -> bytes:
    digest = hashlib.sha256()
    for name in JUDGES:
        path = PACKAGE / name
        files = (file for file in path.rglob("*") if file.suffix in SOURCE)
        for file in sorted(files) if path.is_dir() else [path]:
            digest.update(f"{file.relative_to(PACKAGE).as_posix()}\0".encode())
            digest.update(file.read_bytes())
    return digest.digest()
