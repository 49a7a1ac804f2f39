"""`grader release github`: the files of a template repository for GitHub Classroom."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from grader.classroom.releases.bundled_grader import File, grader_files, requirements, template
from grader.classroom.results.exports.github import runner_id
from grader.course import starter
from grader.schema import Rubric

WORKFLOW = ".github/workflows/classroom.yml"


def release_github(rubrics: Sequence[Rubric], out: Path) -> None:
    """Write the files into a folder, over those that are there."""
    for file in _files(rubrics):
        path = out / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(file.content)


def _files(rubrics: Sequence[Rubric]) -> Iterator[File]:
    for rubric in rubrics:
        yield File(f"exercises/{rubric.stem}.py", starter(rubric.stem).encode())
    yield File(WORKFLOW, _workflow(rubrics))
    listed = "\n".join(f"- `{rubric.stem}.py`: {rubric.title}" for rubric in rubrics)
    yield File("README.md", template("github/README.md", list=listed, first=rubrics[0].stem))
    yield File(".gitignore", b"__pycache__/\n")
    yield File(".grader/requirements.txt", requirements().encode())
    yield from grader_files(".grader")


def _workflow(rubrics: Sequence[Rubric]) -> bytes:
    runners = [runner_id(rubric) for rubric in rubrics]
    results = [
        f"          {runner.upper()}_RESULTS: ${{{{ steps.grade.outputs.{runner} }}}}"
        for runner in runners
    ]
    return template(
        "github/classroom.yml",
        exercises=" ".join(rubric.number for rubric in rubrics),
        results="\n".join(results),
        runners=",".join(runners),
    )
