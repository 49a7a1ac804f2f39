"""`grader release gradescope`: the zip's own script, run where Gradescope would lay it out."""

import json
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from importlib.metadata import distribution, distributions, version
from pathlib import Path

import pytest
from handing_in import installed, needs_a_sandbox
from packaging.requirements import Requirement
from packaging.version import Version

from grader.classroom import new_assignment, private_rubric
from grader.course.catalog import find, solution_file, solution_of, starter

STEM = "03_member_tensors"
POINTS = sum(find("03").points.values())


@dataclass(frozen=True)
class Autograder:
    """The folder /autograder, somewhere else."""

    root: Path

    def hand_in(self, name, text):
        (self.root / "submission" / name).write_text(text, encoding="utf-8")

    def run(self):
        script = self.root / "run_autograder"
        subprocess.run([script], check=True, capture_output=True, timeout=120)
        return self.results()

    def results(self):
        return json.loads((self.root / "results" / "results.json").read_text(encoding="utf-8"))


@pytest.fixture
def autograder(grader, tmp_path):
    return released(grader, tmp_path, "3", POINTS)


def released(grader, tmp_path, what, points):
    """What is released, laid out as Gradescope does it."""
    archive = tmp_path / "autograder.zip"
    ended = grader("release", "gradescope", what, "--out", archive)
    assert (ended.status, ended.err) == (0, f"Give the assignment {points} points.\n")
    root = tmp_path / "autograder"
    for folder in ("source", "submission", "results", "venv/bin"):
        (root / folder).mkdir(parents=True)
    with zipfile.ZipFile(archive) as files:
        for info in files.infolist():
            path = Path(files.extract(info, root / "source"))
            path.chmod(info.external_attr >> 16 & 0o777)
    (root / "source" / "run_autograder").rename(root / "run_autograder")
    python = root / "venv" / "bin" / "python"
    site = installed(root / "source" / "grader", tmp_path / "site")
    python.write_text(f'#!/bin/sh\nPYTHONPATH={site} exec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    return Autograder(root)


@pytest.mark.slow
def test_a_right_answer_under_any_name_gets_the_assignments_points(autograder):
    autograder.hand_in("my_answer.py", solution_file(STEM).read_text(encoding="utf-8"))

    results = autograder.run()

    assert sum(test["score"] for test in results["tests"]) == POINTS
    assert sum(test["max_score"] for test in results["tests"]) == POINTS
    assert "PASSED" in results["output"]
    assert [path.name for path in (autograder.root / "results").iterdir()] == ["results.json"]
    assert (autograder.root / "results").stat().st_mode & 0o777 == 0o700


def test_a_wrong_answer_gets_what_it_earned_and_is_told_why(autograder):
    half = (
        solution_file(STEM)
        .read_text(encoding="utf-8")
        .replace('self.register_buffer("std", torch.tensor(std))', "self.std = torch.tensor(std)")
    )
    autograder.hand_in(f"{STEM}.py", half)

    results = autograder.run()

    assert sum(test["score"] for test in results["tests"]) < POINTS
    assert sum(test["max_score"] for test in results["tests"]) == POINTS
    assert "member-tensor  self.std" in results["output"]


@pytest.mark.slow
@needs_a_sandbox
def test_an_assignment_gives_its_own_points_and_each_learner_the_own_variant(
    grader, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    rules = 'exercises = ["03", "04"]\nweights = { 04 = 2 }\npoints = 9'
    Path("term.toml").write_text(f"[assignments.midterm]\n{rules}", encoding="utf-8")
    drawn = new_assignment(["03", "04"], 7, Path("midterm"), [("Ada", ""), ("Bob", "")])
    autograder = released(grader, tmp_path, "midterm", 9)
    stem, variant = "04_parameter_or_buffer", drawn.variant_of("Bob", "")
    right = solution_of(private_rubric(Path("midterm"), drawn, stem, variant))
    autograder.hand_in(f"{stem}.py", right.read_text(encoding="utf-8"))

    scores = {}
    for name in ("Bob", "Ada", "Zoe"):
        metadata = json.dumps({"users": [{"name": name}]})
        (autograder.root / "submission_metadata.json").write_text(metadata)
        results = autograder.run()
        scores[name] = results["score"]

    assert scores["Bob"] == 6
    assert scores["Ada"] < 6
    assert (scores["Zoe"], "No variant was drawn for Zoe" in results["output"]) == (0, True)


@pytest.mark.slow
def test_what_is_no_answer_is_named_and_the_points_still_add_up(autograder):
    autograder.hand_in("notes.txt", "I could not do it.")

    results = autograder.run()

    assert "Nothing was handed in." in results["output"]
    assert [(test["score"], test["max_score"]) for test in results["tests"]] == [(0, POINTS)]


def test_a_run_that_is_ended_leaves_a_result_that_says_so(autograder):
    autograder.hand_in(f"{STEM}.py", starter(STEM))
    (autograder.root / "venv" / "bin" / "python").write_text("#!/bin/sh\nkill -9 $$\n")

    with pytest.raises(subprocess.CalledProcessError):
        autograder.run()

    results = autograder.results()
    assert "ended before there was a result" in results["output"]
    assert sum(test["max_score"] for test in results["tests"]) == POINTS


def test_the_zip_installs_a_wheel_and_what_it_needs_as_it_was_tried_here(autograder, tmp_path):
    source = autograder.root / "source"
    (wheel,) = source.glob("grader/*.whl")
    pip = [sys.executable, "-m", "pip", "install", "--no-deps", "--no-index", "--quiet"]

    subprocess.run(["bash", "-n", source / "setup.sh"], check=True)
    assert f"grader/{wheel.name}[learn,classroom]" in (source / "setup.sh").read_text()
    subprocess.run([*pip, "--target", tmp_path / "pip", wheel], check=True)

    (own,) = distributions(name="wheres-my-tensor", path=[str(tmp_path / "pip")])
    assert own.requires == distribution("wheres-my-tensor").requires
    assert (tmp_path / "pip" / "grader" / "course" / "solutions" / f"{STEM}.py").exists()
    pins = [Requirement(pin) for pin in (source / "grader/constraints.txt").read_text().split()]
    assert {"torch", "pyyaml", "pyseccomp"} <= {pin.name.lower() for pin in pins}
    for pin in pins:
        assert str(pin.specifier) == f"=={Version(version(pin.name)).public}"
