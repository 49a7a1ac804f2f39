"""Lays the course out in a folder of the learner's, and never over what they wrote."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from grader.course.catalog import (
    cheat_sheet,
    notebook_settings,
    notebooks,
    starter,
    stems,
)


@dataclass(frozen=True)
class LayoutResult:
    """How many files were written, and which were there already and differ."""

    written: int
    kept: tuple[Path, ...]


def write_course(folder: Path) -> LayoutResult:
    """Put notebooks/, exercises/ and the cheat sheet into `folder`; what is there stays.

    Raises:
        OSError: it cannot be written.
    """
    beside = (*notebooks(), *notebook_settings())
    files = {Path("notebooks", path.name): path.read_bytes() for path in beside}
    files[Path("docs", cheat_sheet().name)] = cheat_sheet().read_bytes()
    for stem in stems():
        files[Path("exercises", f"{stem}.py")] = starter(stem).encode()
    missing = {name: text for name, text in files.items() if not (folder / name).exists()}
    for name, text in missing.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(text)
    there = files.keys() - missing.keys()
    kept = sorted(name for name in there if (folder / name).read_bytes() != files[name])
    return LayoutResult(len(missing), tuple(kept))
