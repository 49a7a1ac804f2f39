"""What run_autograder runs: `python -m grader.classroom.releases.gradescope_run /autograder 03`."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from grader.classroom.releases.gradescope_results import to_results
from grader.classroom.releases.single_submission import grade_alone
from grader.course import find


def main(root: Path, exercise: str) -> None:
    """Grade what lies in Gradescope's folder, and replace the result there."""
    results, left_out = grade_alone(root / "submission", [find(exercise)])
    target = root / "results" / "results.json"
    part = target.with_suffix(".part")
    part.write_text(to_results(results, left_out), encoding="utf-8")
    os.replace(part, target)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
