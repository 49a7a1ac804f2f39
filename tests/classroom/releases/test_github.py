"""`grader release github`: the template's own workflow step, and what the reporter reads of it."""

import base64
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from handing_in import installed

from grader.classroom.assignments.folder import new_assignment, private_rubric
from grader.classroom.releases.github import VARIANT_WORKFLOW, WORKFLOW
from grader.classroom.results.ledger import latest, read_ledger
from grader.course.catalog import find, solution_file, solution_of, starter


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
    assert len(list((template / ".grader").glob("*.whl"))) == 1
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
            "PYTHONPATH": installed(template / ".grader", tmp_path / "site"),
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


STEM = "04_parameter_or_buffer"
PEOPLE = (("Ada Lovelace", "a1"), ("Grace Hopper", ""))


@pytest.fixture
def assigned(grader, tmp_path):
    """Draws an assignment and releases it; gives both folders."""

    def release(people):
        drawn = new_assignment(["04"], 7, tmp_path / "midterm", people)
        ran = grader("release", "github", tmp_path / "midterm", "--out", tmp_path / "repositories")
        assert ran.status == 0
        return drawn, [Path(line) for line in ran.out.splitlines()]

    return release


def run_step(repository):
    """What the repository's workflow runs, as it runs it."""
    workflow = yaml.safe_load((repository / VARIANT_WORKFLOW).read_text(encoding="utf-8"))
    step = workflow["jobs"]["check"]["steps"][-1]
    python, *arguments = step["run"].split()
    assert python == "python"
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=repository,
        env={
            **os.environ,
            "PYTHONPATH": installed(repository / ".grader", repository.parent / "site"),
            "GRADER_HOME": str(repository.parent / "home"),
        },
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


def test_a_variant_for_the_class_is_one_template(assigned, tmp_path):
    drawn, repositories = assigned(())

    assert repositories == [tmp_path / "repositories"]
    names = tuple(path.name for path in (repositories[0] / "exercises").iterdir())
    assert names == drawn.stems
    ran = run_step(repositories[0])
    assert ran.returncode == 1
    assert "NOT ATTEMPTED" in ran.stdout


def test_each_learner_has_a_repository_of_their_own_without_a_solution(assigned, tmp_path):
    drawn, repositories = assigned(PEOPLE)

    assert [path.name for path in repositories] == list(drawn.variants)
    for repository, variant in zip(repositories, drawn.variants, strict=True):
        rubric = private_rubric(tmp_path / "midterm", drawn, STEM, variant)
        right = solution_of(rubric).read_text(encoding="utf-8")
        texts = [path.read_text("utf-8") for path in repository.rglob("*.py")]
        assert right not in texts
        given = (repository / "exercises" / STEM / f"{STEM}.py").read_text(encoding="utf-8")
        assert f"class {rubric.class_name}(" in given
    right = solution_of(private_rubric(tmp_path / "midterm", drawn, STEM, drawn.variants[0]))
    answer = repositories[0] / "exercises" / STEM / f"{STEM}.py"
    answer.write_text(right.read_text("utf-8"), encoding="utf-8")
    assert run_step(repositories[0]).returncode == 0


def test_the_repositories_as_they_are_cloned_can_be_graded(assigned, grader, tmp_path):
    drawn, repositories = assigned(PEOPLE)
    right = solution_of(private_rubric(tmp_path / "midterm", drawn, STEM, drawn.variants[0]))
    answer = repositories[0] / "exercises" / STEM / f"{STEM}.py"
    answer.write_text(right.read_text("utf-8"), encoding="utf-8")

    ran = grader(
        *("batch", tmp_path / "repositories", "--out", tmp_path / "marks", "--jobs", "1"),
        *("--assignment", tmp_path / "midterm", "--isolation", "process"),
    )

    assert ran.status == 0
    entries = {name: entry for (name, _), entry in latest(read_ledger(tmp_path / "marks")).items()}
    assert {name: entry.report.verdict for name, entry in entries.items()} == {
        drawn.variants[0]: "passed",
        drawn.variants[1]: "not_attempted",
    }


def test_a_folder_that_holds_no_assignment_is_said(grader, tmp_path):
    ran = grader("release", "github", tmp_path, "--out", tmp_path / "repositories")

    assert (ran.status, "holds no assignment" in ran.err) == (2, True)
    assert not (tmp_path / "repositories").exists()
