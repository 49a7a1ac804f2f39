"""`grader release github`: the template's own workflow step, and what the reporter reads of it."""

import base64
import json
import os
import subprocess
import sys

import pytest
import yaml

from grader.classroom.releases.github import WORKFLOW
from grader.course.catalog import find, solution_file, starter


@pytest.fixture
def template(grader, tmp_path):
    folder = tmp_path / "template"
    assert grader("release", "github", "03", "5b", "--out", folder).status == 0
    return folder


@pytest.fixture
def job(template):
    workflow = yaml.safe_load((template / WORKFLOW).read_text(encoding="utf-8"))
    assert workflow["name"] == "Autograding Tests"
    (name,) = workflow["jobs"]
    assert name == "run-autograding-tests"
    return {step.get("id", step.get("name")): step for step in workflow["jobs"][name]["steps"]}


def outputs(path):
    """What GitHub makes of a step's output file: of two with one name, the later."""
    lines = path.read_text(encoding="utf-8").splitlines()
    pairs = [line.split("=", 1) for line in lines]
    return pairs, {name: json.loads(base64.b64decode(value)) for name, value in pairs}


def test_the_repository_holds_the_starters_and_the_grader(template):
    names = [path.name for path in (template / "exercises").iterdir()]

    assert sorted(names) == ["03_member_tensors.py", "05b_parameter_containers.py"]
    assert (template / "exercises" / names[0]).read_text() == starter(names[0][:-3])
    assert (template / ".grader" / "grader" / "course" / "catalog.py").exists()
    assert "`03_member_tensors.py`" in (template / "README.md").read_text()


def test_the_reporter_is_handed_every_output_of_the_step(job):
    reporter = job["Autograding Reporter"]

    assert reporter["with"]["runners"] == "exercise03,exercise05b"
    assert reporter["env"] == {
        "EXERCISE03_RESULTS": "${{ steps.grade.outputs.exercise03 }}",
        "EXERCISE05B_RESULTS": "${{ steps.grade.outputs.exercise05b }}",
    }


def test_the_step_grades_and_a_learners_words_give_no_commands(template, job, tmp_path):
    answer = solution_file("03_member_tensors").read_text(encoding="utf-8")
    printing = 'import os\nprint("::notice::6 of 6", os.environ.get("GITHUB_OUTPUT"))\n' + answer
    (template / "exercises" / "03_member_tensors.py").write_text(printing, encoding="utf-8")
    step, output, summary = job["grade"], tmp_path / "output", tmp_path / "summary"
    python, *arguments = step["run"].split()
    assert python == "python"

    ended = subprocess.run(
        [sys.executable, *arguments],
        cwd=template,
        env={
            **os.environ,
            **step["env"],
            "GITHUB_OUTPUT": str(output),
            "GITHUB_STEP_SUMMARY": str(summary),
        },
        check=True,
        capture_output=True,
        text=True,
    )

    pairs, results = outputs(output)
    first = json.loads(base64.b64decode(pairs[0][1]))
    assert (first["status"], first["max_score"]) == ("error", 6)
    assert "ended before there was a result" in first["message"]
    assert results["exercise03"]["status"] == "pass"
    assert sum(test["score"] for test in results["exercise03"]["tests"]) == 6
    assert results["exercise05b"]["status"] == "fail"
    assert results["exercise05b"]["max_score"] == sum(find("05b").points.values())
    assert "::" not in ended.stdout + ended.stderr
    assert str(output) not in json.dumps(results)
    assert "| passed | 6 of 6 |" in summary.read_text(encoding="utf-8")
