"""`grader release github`: the files of template repositories for GitHub Classroom.

One repository holds exercises of the course, and its workflow gives their points. Those of an
assignment hold a variant each, and their workflow gives none: a solution would have to be in them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from grader.classroom.assignments.folder import HAND_OUT, read_assignment
from grader.classroom.releases.bundled_grader import File, grader_files, template, wheel_name
from grader.classroom.releases.github_run import runner_id
from grader.course import starter
from grader.schema import Rubric

WORKFLOW = ".github/workflows/classroom.yml"
VARIANT_WORKFLOW = ".github/workflows/check.yml"


def release_github(rubrics: Sequence[Rubric], folder: Path | None, out: Path) -> tuple[Path, ...]:
    """Write the files of the repositories, over those that are there.

    Args:
        rubrics: the exercises.
        folder: of the assignment with variants of them; None for the course's own.
        out: the repository; of variants for each learner, a folder with one for each, named after
            the variant.

    Returns:
        The repositories.

    Raises:
        AssignmentError: the folder holds no assignment.
        OSError: something cannot be read or written.
    """
    if folder is None:
        _write(_files(rubrics), out)
        return (out,)
    assignment = read_assignment(folder)
    names = assignment.variants if assignment.people else ("",)
    for name in names:
        _write(_variant_files(folder / HAND_OUT / name, assignment.stems), out / name)
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


def _variant_files(hand_out: Path, stems: Sequence[str]) -> Iterator[File]:
    for stem in stems:
        for path in sorted((hand_out / stem).glob("*.*")):
            yield File(f"exercises/{stem}/{path.name}", path.read_bytes())
    files = [f"exercises/{stem}/{stem}.py" for stem in stems]
    words = {
        "wheel": wheel_name(),
        "files": " ".join(files),
        "list": "\n".join(f"- `{file}`" for file in files),
    }
    yield File(VARIANT_WORKFLOW, template("github/variant.yml", **words))
    yield File("README.md", template("github/variant_README.md", **words))
    yield from _grader()


def _grader() -> Iterator[File]:
    yield File(".gitignore", b"__pycache__/\n")
    yield from grader_files(".grader")


def _workflow(rubrics: Sequence[Rubric]) -> bytes:
    runners = [runner_id(rubric) for rubric in rubrics]
    results = [
        f"          {runner.upper()}_RESULTS: ${{{{ steps.grade.outputs.{runner} }}}}"
        for runner in runners
    ]
    return template(
        "github/classroom.yml",
        wheel=wheel_name(),
        exercises=" ".join(rubric.number for rubric in rubrics),
        results="\n".join(results),
        runners=",".join(runners),
    )
