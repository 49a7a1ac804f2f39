"""`grader release nbgrader`: a course folder whose assignments are the notebooks of the course."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from grader.classroom.releases.bundled_grader import template
from grader.classroom.releases.nbgrader_cell import HOME
from grader.course import solution_file
from grader.schema import Rubric

_ASKS = re.compile(r'^check\("(\w+)", \w+\)\s*\Z', re.MULTILINE)


class NoNotebookError(OSError):
    """An exercise is in no notebook, so it cannot be an assignment."""


def release_nbgrader(rubrics: Sequence[Rubric], out: Path, name: str = "") -> list[str]:
    """Write the course folder, and say which assignments it has.

    Args:
        rubrics: the exercises.
        out: the course folder.
        name: of the one assignment of all their notebooks; `""` for one of each notebook.

    Raises:
        NoNotebookError: an exercise is in no notebook.
    """
    out.mkdir(parents=True, exist_ok=True)
    (out / "nbgrader_config.py").write_bytes(template("nbgrader/nbgrader_config.txt"))
    asked = {rubric.number: rubric for rubric in rubrics}
    found: set[str] = set()
    names = []
    for path in sorted(_notebooks().glob("*.ipynb")):
        notebook = json.loads(path.read_text(encoding="utf-8"))
        here = asked.keys() & set(map(_exercise_of_cell, notebook["cells"]))
        if here:
            notebook["cells"] = _assignment(notebook["cells"], asked)
            _write(out / "source" / (name or path.stem) / path.name, notebook)
            names.append(name or path.stem)
            found |= here
    if missing := asked.keys() - found:
        numbers = ", ".join(sorted(missing))
        raise NoNotebookError(f"No notebook in {_notebooks()} has exercise {numbers}.")
    return [*dict.fromkeys(names)]


def _notebooks() -> Path:
    return solution_file("").parent.parent / "notebooks"


def _exercise_of_cell(cell: dict[str, Any]) -> str:
    """The number of the exercise that a cell ends in checking, if it does."""
    found = _ASKS.search("".join(cell["source"])) if cell["cell_type"] == "code" else None
    return found[1] if found else ""


def _assignment(cells: list[dict[str, Any]], asked: dict[str, Rubric]) -> list[dict[str, Any]]:
    """The cells of an assignment: what is read is locked, what is answered is graded below it."""
    made = []
    for cell in cells:
        rubric = asked.get(_exercise_of_cell(cell))
        if cell["cell_type"] == "code":
            cell |= {"outputs": [], "execution_count": None}
        if rubric:
            made += [_solution(cell, rubric), _test(rubric)]
        elif cell["cell_type"] == "markdown":
            made.append(_with_metadata(cell, locked=True))
        else:
            made.append(cell)
    return made


def _solution(cell: dict[str, Any], rubric: Rubric) -> dict[str, Any]:
    """The starter, our answer where nbgrader cuts it out, and the call that checks."""
    lines = "".join(cell["source"]).rstrip().split("\n")
    starter, last = "\n".join(lines[:-1]).rstrip(), lines[-1]
    answer = _answer(rubric)
    source = f"{starter}\n\n\n### BEGIN SOLUTION\n{answer}\n### END SOLUTION\n\n{last}"
    return _with_metadata(
        {**cell, "id": f"exercise-{rubric.number}", "source": source}, solution=True
    )


def _answer(rubric: Rubric) -> str:
    """The class of our solution, with the classes that are derived from it there."""
    source = solution_file(rubric.stem).read_text(encoding="utf-8")
    classes = [node for node in ast.parse(source).body if isinstance(node, ast.ClassDef)]
    names = [node.name for node in classes]
    first = names.index(rubric.class_name)
    last = names.index(rubric.recipe.model) if rubric.recipe.model else first
    parts = (ast.get_source_segment(source, node) or "" for node in classes[first : last + 1])
    return "\n\n\n".join(parts)


def _test(rubric: Rubric) -> dict[str, Any]:
    """Its last value is a number, which nbgrader takes for the points."""
    source = f'from {HOME} import points\n\npoints("{rubric.number}", In)'
    cell: dict[str, Any] = {"cell_type": "code", "outputs": [], "execution_count": None}
    cell |= {"id": f"points-{rubric.number}", "metadata": {}, "source": source}
    return _with_metadata(cell, locked=True, grade=True, points=sum(rubric.points.values()))


def _with_metadata(cell: dict[str, Any], **marks: bool | int) -> dict[str, Any]:
    """The cell with what nbgrader wants to know of it."""
    defaults = {"grade": False, "solution": False, "locked": False, "task": False}
    metadata = {**defaults, **marks, "grade_id": cell["id"], "schema_version": 3}
    return {**cell, "metadata": {**cell["metadata"], "nbgrader": metadata}}


def _write(path: Path, notebook: dict[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
