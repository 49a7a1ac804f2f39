"""What run_autograder runs: `python -m grader.classroom.releases.gradescope_run /autograder`."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import msgspec

from grader.classroom.assignments.folder import AssignmentError, read_assignment
from grader.classroom.releases.gradescope_results import to_results
from grader.classroom.releases.single_submission import grade_alone, ungraded
from grader.classroom.results.gradebook import GradeItem
from grader.probe import IsolationError

NO_VARIANT = (
    "No variant was drawn for {name}, so nothing was graded. This says nothing about your answer: "
    "tell your teacher by which name you are on the roster."
)


def main(root: Path) -> None:
    """Grade what lies in Gradescope's folder, and replace the result there."""
    source = root / "source"
    item = msgspec.json.decode((source / "item.json").read_bytes(), type=GradeItem)
    answers, variants = root / "submission", source / "assignment"
    try:
        if not variants.exists():
            results, notes = grade_alone(answers, item.rubrics)
        elif own := read_assignment(variants).variant_of(name := _name(root), ""):
            results, notes = grade_alone(answers, item.rubrics, own, variants)
        else:
            raise AssignmentError(NO_VARIANT.format(name=name))
    except (AssignmentError, IsolationError) as error:
        results, notes = tuple(ungraded(rubric, str(error)) for rubric in item.rubrics), []
    target = root / "results" / "results.json"
    part = target.with_suffix(".part")
    part.write_text(to_results(results, item, notes), encoding="utf-8")
    os.replace(part, target)


def _name(root: Path) -> str:
    """The learner's; of a group, the first one's."""
    metadata = json.loads((root / "submission_metadata.json").read_text(encoding="utf-8"))
    return str(metadata["users"][0]["name"])


if __name__ == "__main__":
    main(Path(sys.argv[1]))
