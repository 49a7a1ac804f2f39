"""What the workflow runs: `python -m grader.classroom.releases.github_run exercises 03 04`.

Each exercise is an output of the step: base64 of JSON, in the form that GitHub Classroom's reporter
reads. The first result says that there is none yet: a step that is ended before its time has one,
too. Of two results with one name the later counts.

The reporter shows the share of passed tests and posts the sum of the scores. They agree because
each test here is worth one point. It prints names and messages into the log of the job, where a
line may be a command (`::notice ...`): a learner's words must not become one.
"""

from __future__ import annotations

import base64
import json
import os
import re
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from grader.classroom.releases.single_submission import grade_alone, no_result_yet
from grader.classroom.results.exports.tables import ScoredLine, scored_lines
from grader.classroom.results.gradebook import Result
from grader.course import find
from grader.render import visible
from grader.schema import Rubric

_COMMAND = re.compile(r"(:(?=:)|##(?=\[))")
_STATUS = {"passed": "pass", "failed": "fail", "not_attempted": "fail", "not_handed_in": "fail"}


def runner_id(rubric: Rubric) -> str:
    """What the reporter calls an exercise; it accepts letters and digits."""
    return f"exercise{rubric.number}"


def encoded(result: Result) -> str:
    text = json.dumps(to_runner_result(result), ensure_ascii=False)
    return base64.b64encode(text.encode()).decode()


def to_runner_result(result: Result) -> dict[str, Any]:
    seconds = result.entry.seconds if result.entry else 0
    return {
        "version": 1,
        "status": _status(result),
        "max_score": result.max_score,
        "message": harmless("\n".join((result.explanation, *map(str, result.comments)))),
        "tests": [
            {**test, "test_code": f"grader check {result.rubric.number}", "duration": seconds}
            for line in scored_lines(result)
            for test in _points_of(line, result)
        ],
    }


def _status(result: Result) -> str:
    if result.marked:
        return "pass" if result.score == result.max_score else "fail"
    return _STATUS.get(result.verdict, "error")


def harmless(text: str) -> str:
    """One line that no log takes for a command."""
    return _COMMAND.sub(r"\1 ", " ".join(visible(text).split()))


def _points_of(line: ScoredLine, result: Result) -> list[dict[str, Any]]:
    failed = "error" if result.is_unsettled else "fail"
    return [
        {
            "name": harmless(_name(line, point)),
            "status": "pass" if point <= line.points else failed,
            "score": int(point <= line.points),
            "message": _why(line, point),
            "filename": "",
            "line_no": 0,
        }
        for point in range(1, line.max_points + 1)
    ]


def _name(line: ScoredLine, point: int) -> str:
    of = f", point {point} of {line.max_points}" if line.max_points > 1 else ""
    return line.name + of


def _why(line: ScoredLine, point: int) -> str:
    """Said once a check; the reporter shows it where a test did not pass."""
    return harmless(line.message) if point <= line.points + 1 else "As above."


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
