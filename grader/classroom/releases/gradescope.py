"""`grader release gradescope`: the autograder.zip of an assignment, also of one with variants."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from pathlib import Path

import msgspec

from grader.classroom.assignments.folder import TEACHER
from grader.classroom.releases.bundled_grader import File, grader_files, template, wheel_name
from grader.classroom.releases.gradescope_run import to_results
from grader.classroom.releases.single_submission import no_result_yet
from grader.classroom.results.gradebook import GradeItem

_SAME_TIME = (2020, 1, 1, 0, 0, 0)  # the same files make the same zip


def release_gradescope(item: GradeItem, folder: Path | None, out: Path) -> None:
    """Write the zip that Gradescope's "Configure autograder" page takes.

    Args:
        item: the exercises, and what they are worth.
        folder: of the assignment whose variants of them are graded; None for the course's own.
        out: where.
    """
    out.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in _files(item, folder):
            info = zipfile.ZipInfo(file.path, _SAME_TIME)
            info.external_attr = file.mode << 16
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, file.content)


def _files(item: GradeItem, folder: Path | None) -> Iterator[File]:
    for command in ("setup.sh", "run_autograder"):
        yield File(command, template(f"gradescope/{command}", wheel=wheel_name()), is_command=True)
    yield File("item.json", msgspec.json.encode(item))
    none_yet = to_results([*map(no_result_yet, item.rubrics)], item)
    yield File("no_result_yet.json", none_yet.encode())
    yield from grader_files("grader")
    if folder:
        for path in sorted((folder / TEACHER).rglob("*.*")):
            yield File(f"assignment/{path.relative_to(folder).as_posix()}", path.read_bytes())
