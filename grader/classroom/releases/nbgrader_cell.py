"""What an autograded cell of nbgrader calls: `points("03", In)`.

nbgrader gives a cell no points if it raises or writes a single line to stderr, and takes a number
that it ends in for partial credit. So the grading is done by another process, which has a child of
its own run the answer; only the report and the points come back.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from grader.course import find

HOME = "grader.classroom.releases.nbgrader_cell"  # as a notebook imports it


class NotGradedError(Exception):
    """There is no mark, and it is not the answer's fault; nbgrader has no other word for it."""


def points(exercise: str, cells: Sequence[str]) -> int:
    """Print the report on the class in the cells above this one; give its points.

    Args:
        exercise: its number.
        cells: IPython's `In`, whose last entry is the calling cell.

    Raises:
        NotGradedError: nothing can be said about the answer.
    """
    rubric = find(exercise)
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / f"{rubric.stem}.ipynb").write_text(_notebook(cells[:-1]), encoding="utf-8")
        # -P: a file of the learner's in this folder is not to be imported in the grader's place.
        command = [sys.executable, "-P", "-m", HOME, folder, rubric.number]
        ended = subprocess.run(command, capture_output=True, text=True, check=False)
    if ended.returncode:
        raise NotGradedError(f"The grader itself failed. Please report this: {ended.stderr[-500:]}")
    result = json.loads(ended.stdout)
    print(result["report"])
    if result["verdict"] == "cannot_grade":
        raise NotGradedError(
            "This is no mark for the answer. Fix what the report says, and grade again."
        )
    return int(result["score"])


def _notebook(cells: Sequence[str]) -> str:
    code: list[dict[str, Any]] = [
        {
            "cell_type": "code",
            "metadata": {},
            "outputs": [],
            "execution_count": None,
            "source": cell,
        }
        for cell in cells
    ]
    return json.dumps({"cells": code, "metadata": {}, "nbformat": 4, "nbformat_minor": 4})


def main(folder: Path, exercise: str) -> None:
    """Grade the notebook in `folder`, and print what came of it as JSON."""
    from grader.classroom.releases.single_submission import grade_alone
    from grader.render import to_text

    (result,), _ = grade_alone(folder, [find(exercise)])
    report = to_text(result.entry.report) if result.entry else result.explanation
    print(json.dumps({"report": report, "verdict": result.verdict, "score": result.score}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
