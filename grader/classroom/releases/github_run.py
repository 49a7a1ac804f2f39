"""What the workflow runs: `python -m grader.classroom.releases.github_run exercises 03 04`.

Each exercise is an output of the step, in the form that GitHub Classroom's reporter reads. The
first result says that there is none yet: a step that is ended before its time has one, too. Of two
results with one name the later counts.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from grader.classroom.releases.github_results import encoded, harmless, runner_id
from grader.classroom.releases.single_submission import grade_alone, no_result_yet
from grader.classroom.results.gradebook import Result
from grader.course import find


def main(answers: Path, exercises: Sequence[str]) -> None:
    """Grade what lies in a folder; tell the workflow, and whoever reads its log or summary."""
    outputs, summary = _move_aside("GITHUB_OUTPUT"), _move_aside("GITHUB_STEP_SUMMARY")
    rubrics = [find(exercise) for exercise in exercises]
    _add(outputs, (_output(no_result_yet(rubric)) for rubric in rubrics))
    results, left_out = grade_alone(answers, rubrics)
    _add(outputs, (_output(result) for result in results))
    _add(summary, _summary(results))
    for result in results:
        print(harmless(f"{_points(result)} {result.rubric.number} {result.verdict}"))
    for line in left_out:
        print(harmless(f"Not graded: {line}"))


def _move_aside(variable: str) -> Path:
    """A file that the workflow reads; the learner's code is not told where it is."""
    return Path(os.environ.pop(variable, os.devnull))


def _add(path: Path, lines: Iterable[str]) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.writelines(f"{line}\n" for line in lines)


def _output(result: Result) -> str:
    return f"{runner_id(result.rubric)}={encoded(result)}"


def _summary(results: Iterable[Result]) -> list[str]:
    """A table in Markdown, in words that are all the grader's own."""
    rows = [
        f"| {result.rubric.number} {result.rubric.title} | {result.verdict} | {_points(result)} |"
        for result in results
    ]
    return ["| exercise | verdict | points |", "| --- | --- | --- |", *rows]


def _points(result: Result) -> str:
    return f"{'no mark' if result.mark is None else result.mark} of {result.max_score}"


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
