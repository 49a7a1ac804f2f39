"""What other systems read from an export, by the rules of their own documents and sources."""

import base64
import json
from dataclasses import replace

import pytest
from a_class import BUFFERS, HALF, LOOP, broken, entry
from entries import on_gradescope
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from grader.classroom.releases.github_run import encoded, harmless, runner_id
from grader.classroom.results.gradebook import UNSETTLED, gradebook
from grader.schema.report import Check

VISIBILITY = {"enum": ["visible", "hidden", "after_due_date", "after_published"]}
FORMAT = {"enum": ["text", "html", "simple_format", "md", "ansi"]}
# From Gradescope's autograder documentation: what it reads, and nothing it does not know.
GRADESCOPE = {
    "type": "object",
    "required": ["tests"],
    "additionalProperties": False,
    "properties": {
        "score": {"type": "number"},
        "execution_time": {"type": "number", "minimum": 0},
        "output": {"type": "string"},
        "output_format": FORMAT,
        "test_output_format": FORMAT,
        "test_name_format": FORMAT,
        "visibility": VISIBILITY,
        "stdout_visibility": VISIBILITY,
        "extra_data": {"type": "object"},
        "leaderboard": {"type": "array"},
        "tests": {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "required": ["score", "max_score", "name"],
                "additionalProperties": False,
                "properties": {
                    "score": {"type": "number"},
                    "max_score": {"type": "number"},
                    "status": {"enum": ["passed", "failed"]},
                    "name": {"type": "string"},
                    "name_format": FORMAT,
                    "number": {"type": "string"},
                    "output": {"type": "string"},
                    "output_format": FORMAT,
                    "tags": {"type": "array", "items": {"type": "string"}},
                    "visibility": VISIBILITY,
                    "extra_data": {"type": "object"},
                },
            },
        },
    },
}


def checks(*points):
    """Checks with these points, of these."""
    return tuple(
        Check(f"check {number}", got == most, got, most, "why")
        for number, (got, most) in enumerate(points)
    )


@st.composite
def reports(draw):
    """Any report whose points are those of its checks, or that has no checks."""
    pairs = draw(
        st.lists(
            st.integers(1, 5).flatmap(lambda most: st.tuples(st.integers(0, most), st.just(most))),
            max_size=5,
        )
    )
    if not pairs:
        return broken(draw(st.sampled_from([*UNSETTLED, "not_defined"])), draw(st.text()))
    report = replace(
        draw(st.sampled_from([BUFFERS, HALF, LOOP])),
        checks=checks(*pairs),
        score=sum(got for got, _ in pairs),
        max_score=sum(most for _, most in pairs),
    )
    return replace(report, message=draw(st.text()))


def gradescope(report):
    return json.loads(on_gradescope(gradebook([entry("ada", report)]), "ada"))


def reporter(variables):
    """GitHub's own grading reporter, in short: what it shows and what it posts."""
    shown = posted = most = 0
    for runner in filter(None, variables["RUNNERS"].split(",")):
        results = json.loads(base64.b64decode(variables[f"{runner.upper()}_RESULTS"]))
        passed = sum(test["status"] == "pass" for test in results["tests"])
        shown += passed / len(results["tests"]) * (results["max_score"] or 1)
        posted += sum(test["score"] for test in results["tests"])
        most += results["max_score"]
    return shown, posted, most


@given(reports())
def test_gradescope_finds_its_schema_and_the_assignments_points(report):
    results = gradescope(report)

    Draft202012Validator(GRADESCOPE).validate(results)
    assert sum(test["max_score"] for test in results["tests"]) == report.max_score
    assert sum(test["score"] for test in results["tests"]) == report.score
    assert results["score"] == report.score  # it overrides the sum


def test_gradescope_shows_a_learner_what_check_shows_and_what_is_no_mark():
    result = gradescope(LOOP)

    assert "TIME IS UP - 2 of 6 points" in result["output"]
    assert "a person should look at it" in result["output"]
    assert {tag for test in result["tests"] for tag in test["tags"]} == {"timeout"}
    assert result["extra_data"]["results"][0]["needs_a_person"] is True


@given(reports())
def test_github_shows_the_sum_that_it_posts(report):
    (result,) = gradebook([entry("ada", report)]).results()
    runner = runner_id(result.rubric)
    variables_set = {"RUNNERS": runner, f"{runner.upper()}_RESULTS": encoded(result)}

    shown, posted, most = reporter(variables_set)

    assert shown == pytest.approx(posted)
    assert (posted, most) == (report.score, report.max_score)


@given(st.text() | st.from_regex(r"(::|##\[)+(notice|set-output) ?:*\n?", fullmatch=True))
def test_nothing_a_learner_wrote_is_a_command_in_githubs_log(words):
    line = harmless(words)

    assert line.splitlines() in ([], [line])
    assert "::" not in line
    assert "##[" not in line


def test_what_a_learner_printed_is_not_passed_to_github():
    (result,) = gradebook([entry("ada", HALF)]).results()

    assert "Autograding" not in base64.b64decode(encoded(result)).decode()
