"""`grader release github`: the files of template repositories for GitHub Classroom.

One repository holds exercises of the course, and its workflow gives their points. Those of an
assignment hold a variant each, and their workflow gives none: a solution would have to be in them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from grader.classroom.assignments.folder import HAND_OUT, read_assignment
from grader.classroom.releases.bundled_grader import File, grader_files, requirements, template
from grader.classroom.releases.github_results import runner_id
from grader.course import load_rubric, starter
from grader.schema import Rubric

WORKFLOW = ".github/workflows/classroom.yml"
VARIANT_WORKFLOW = ".github/workflows/check.yml"


def release_github(rubrics: Sequence[Rubric], out: Path) -> None:
    """Write the files into a folder, over those that are there."""
    _write(_files(rubrics), out)


def release_github_variants(folder: Path, out: Path) -> tuple[Path, ...]:
    """Write a repository for each variant of an assignment, over what is there.

    Args:
        folder: of the assignment.
        out: the repository, if all learners have one variant; else a folder with one for each
            learner, named after the variant.

    Returns:
        The repositories.

    Raises:
        AssignmentError: the folder holds no assignment.
        OSError: something cannot be read or written.
    """
    assignment = read_assignment(folder)
    names = assignment.variants if assignment.people else ("",)
    for name in names:
        _write(_variant_files(folder / HAND_OUT / name, assignment.stem), out / name)
    return tuple(out / name for name in names)


def _write(files: Iterable[File], out: Path) -> None:
    for file in files:
        path = out / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(file.content)


def _files(rubrics: Sequence[Rubric]) -> Iterator[File]:
    for rubric in rubrics:
        yield File(f"exercises/{rubric.stem}.py", starter(rubric.stem).encode())
    yield File(WORKFLOW, _workflow(rubrics))
    listed = "\n".join(f"- `{rubric.stem}.py`: {rubric.title}" for rubric in rubrics)
    yield File("README.md", template("github/README.md", list=listed, first=rubrics[0].stem))
    yield from _grader()


def _variant_files(hand_out: Path, stem: str) -> Iterator[File]:
    for path in sorted(hand_out.iterdir()):
        if path.suffix in (".py", ".json"):
            yield File(f"exercises/{path.name}", path.read_bytes())
    yield File(VARIANT_WORKFLOW, template("github/variant.yml", stem=stem))
    title = f"Exercise {load_rubric(stem).number}, a variant"
    yield File("README.md", template("github/variant_README.md", title=title, stem=stem))
    yield from _grader()


def _grader() -> Iterator[File]:
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
