"""What run_autograder runs: `python -m grader.classroom.releases.gradescope_run /autograder`."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import msgspec

from grader.classroom.assignments.folder import AssignmentError, read_assignment
from grader.classroom.releases.single_submission import grade_alone, ungraded
from grader.classroom.results.exports.tables import scored_lines
from grader.classroom.results.gradebook import GradeItem, Result, Total
from grader.probe import IsolationError
from grader.render import to_text, visible


def to_results(results: Sequence[Result], item: GradeItem, notes: Sequence[str] = ()) -> str:
    """The text of a results.json on one learner's answers.

    Args:
        results: one for each exercise.
        item: what they are worth together.
        notes: what else the learner should know.
    """
    entries = [result.entry for result in results if result.entry]
    document = {
        # Takes the place of the tests' sum.
        "score": Total("", item, tuple(results)).earned,
        "output": "\n\n".join(
            [*(_explanation(result) for result in results), *map(visible, notes)]
        ),
        "output_format": "text",
        "test_output_format": "text",
        "test_name_format": "text",
        "execution_time": round(sum(entry.seconds for entry in entries), 3),
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "tests": [test for result in results for test in _tests(result)],
        "extra_data": {"results": [_facts(result) for result in results]},
    }
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"


def _tests(result: Result) -> list[dict[str, Any]]:
    number = result.rubric.number
    return [
        {
            "number": f"{number}.{position}",
            "name": visible(f"{number} {line.name}"),
            "score": line.points,
            "max_score": line.max_points,
            "status": "passed" if line.passed else "failed",
            "output": visible(line.message),
            "tags": [result.verdict],
            "visibility": "visible",
        }
        for position, line in enumerate(scored_lines(result), 1)
    ]


def _explanation(result: Result) -> str:
    if result.entry is None:
        return f"{result.rubric.number} {result.rubric.title}\n  {result.explanation}"
    text = to_text(result.entry.report).rstrip()
    why = result.explanation if result.is_unsettled and not result.marked else ""
    return "\n\n".join(filter(None, (text, why, result.remarks, result.arithmetic)))


def _facts(result: Result) -> dict[str, Any]:
    """Kept by Gradescope and not shown to the learner."""
    facts = {"exercise": result.rubric.number, "verdict": result.verdict}
    if entry := result.entry:
        facts |= {
            "submission": entry.submission,
            "rubric": entry.rubric,
            "device": entry.device,
            "isolation": entry.isolation,
        }
    return {
        **facts,
        "late": result.is_late,
        "needs_a_person": result.needs_a_person,
        "flags": [asdict(flag) for flag in result.flags],
    }


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
