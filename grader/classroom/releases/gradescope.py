"""`grader release gradescope`: the autograder.zip of one exercise."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from pathlib import Path

from grader.classroom.releases.bundled_grader import File, grader_files, requirements, template
from grader.classroom.releases.gradescope_results import to_results
from grader.classroom.releases.single_submission import no_result_yet
from grader.schema import Rubric

_SAME_TIME = (2020, 1, 1, 0, 0, 0)  # the same files make the same zip


def release_gradescope(rubric: Rubric, out: Path) -> None:
    """Write the zip that Gradescope's "Configure autograder" page takes."""
    out.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in _files(rubric):
            info = zipfile.ZipInfo(file.path, _SAME_TIME)
            info.external_attr = file.mode << 16
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, file.content)


def _files(rubric: Rubric) -> Iterator[File]:
    yield File("setup.sh", template("gradescope/setup.sh"), is_command=True)
    run = template("gradescope/run_autograder", exercise=rubric.number)
    yield File("run_autograder", run, is_command=True)
    yield File("no_result_yet.json", to_results([no_result_yet(rubric)]).encode())
    yield File("requirements.txt", requirements().encode())
    yield from grader_files("course")
