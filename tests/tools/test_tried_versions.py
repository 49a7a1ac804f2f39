"""One list of versions, grader/cli/doctor/versions.toml, is what everything else says of them."""

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

from grader.cli import doctor as checks

ROOT = Path(__file__).resolve().parents[2]
VERSIONS = tomllib.loads(
    (ROOT / "grader" / "cli" / "doctor" / "versions.toml").read_text(encoding="utf-8")
)
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def pairs(versions):
    return [tuple(map(int, version.split("."))) for version in versions]


def everything(package):
    return VERSIONS[package]["tried"] + VERSIONS[package]["new"]


@pytest.fixture(scope="module")
def outputs():
    tool = [sys.executable, ROOT / "tools" / "versions.py"]
    printed = subprocess.run(tool, capture_output=True, text=True, check=True).stdout
    return {name: json.loads(value) for name, value in re.findall(r"^(\w+)=(.*)$", printed, re.M)}


def test_pyproject_allows_the_oldest_and_names_each_python():
    classifiers = "\n".join(PROJECT["classifiers"])

    assert PROJECT["requires-python"] == f">={VERSIONS['python']['tried'][0]}"
    assert f"torch>={VERSIONS['torch']['tried'][0]}" in PROJECT["dependencies"]
    assert re.findall(r"Python :: (3\.\d+)$", classifiers, re.MULTILINE) == everything("python")


def test_the_doctor_reads_it():
    oldest, *_, newest = pairs(VERSIONS["torch"]["tried"])

    assert (oldest, newest) == (checks.OLDEST_TORCH, checks.NEWEST_TRIED_TORCH)
    assert pairs(VERSIONS["python"]["tried"])[0] == checks.OLDEST_PYTHON


def test_the_workflows_are_given_it(outputs):
    assert outputs["python"] == everything("python")
    assert outputs["torch"] == [f"{version}.*" for version in everything("torch")]
    assert outputs["python_oldest"] == outputs["python"][:1]
    assert set(outputs["python_ends"]) <= set(VERSIONS["python"]["tried"])
    assert len(outputs["torch_pinned"]) == 1


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_asks_only_for_outputs_that_there_are(path, outputs):
    text = path.read_text(encoding="utf-8")
    declared = yaml.safe_load(text)["jobs"].get("versions", {}).get("outputs", {})

    assert set(re.findall(r"needs\.versions\.outputs\.(\w+)", text)) == declared.keys()
    assert declared.keys() <= outputs.keys()


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_lists_no_versions_itself(path):
    text = path.read_text(encoding="utf-8")

    assert re.findall(r"\b2\.\d+\.\*", text) == []
    assert set(re.findall(r'"(3\.\d+)"', text)) <= set(VERSIONS["python"]["tried"])
