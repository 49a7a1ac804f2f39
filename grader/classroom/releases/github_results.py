"""What a runner of GitHub Classroom hands to its reporter: base64 of JSON, one for each exercise.

The reporter shows the share of passed tests and posts the sum of the scores. They agree because
each test here is worth one point. It prints names and messages into the log of the job, where a
line may be a command (`::notice ...`): a learner's words must not become one.
"""

from __future__ import annotations

import base64
import json
import re
from typing import Any

from grader.classroom.results.exports.tables import ScoredLine, scored_lines
from grader.classroom.results.gradebook import Result
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
