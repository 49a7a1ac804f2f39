"""What other people's tools read of this repository: each file as its tool would take it."""

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT = PYPROJECT["project"]
NET = """
import torch
from torch import nn

class Whitener(nn.Module):
    def __init__(self):
        super().__init__()
        self.mean = torch.zeros(3)

    def forward(self, x):
        return x - self.mean

def example_input():
    return (torch.ones(2, 3),)
"""


def load(name):
    return yaml.safe_load((ROOT / name).read_text(encoding="utf-8"))


@pytest.fixture
def repository(tmp_path):
    (tmp_path / "net.py").write_text(NET, encoding="utf-8")
    return tmp_path


@pytest.fixture
def environment(tmp_path):
    """A PATH on which `grader` is the one of this repository, and `python` the one of the tests."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name, options in (("grader", "-m grader"), ("python", "")):
        command = folder / name
        command.write_text(f'#!/bin/sh\nexec "{sys.executable}" {options} "$@"\n')
        command.chmod(0o755)
    return {**os.environ, "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}


@pytest.fixture
def act(repository, environment):
    """Runs the last step of the action with some inputs, and gives what it wrote as outputs."""
    action = load("action.yml")
    *_, step = action["runs"]["steps"]

    def run(**inputs):
        given = {name.replace("-", "_").upper(): "" for name in action["inputs"]} | inputs
        outputs = repository / "outputs"
        ended = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
            cwd=repository,
            env={**environment, **given, "GITHUB_OUTPUT": str(outputs)},
            capture_output=True,
            text=True,
        )
        return ended, outputs.read_text()

    return run


def test_the_action_marks_the_line_and_fails_the_job(act):
    ended, outputs = act(MODULES="net.py:Whitener\n\n")

    assert ended.returncode == 1, ended.stderr
    assert "::error file=net.py,line=8,title=member-tensor self.mean::" in ended.stdout
    assert outputs == "errors=1\n"


def test_the_action_audits_a_package_and_writes_sarif(act, repository):
    recipe = '[tool.grader.audit.recipes."net.*"]\ninputs = "torch.ones(2, 3)"\n'
    (repository / "pyproject.toml").write_text(recipe)

    ended, outputs = act(PACKAGE=".", SARIF_FILE="grader.sarif", ARGS="--time-limit 60\n--jobs 1")

    (run,) = json.loads((repository / "grader.sarif").read_text())["runs"]
    (result,) = run["results"]
    assert (ended.returncode, result["ruleId"], outputs) == (1, "member-tensor", "errors=1\n")


def test_the_action_leaves_out_what_the_baseline_knows(act, repository, grader, monkeypatch):
    monkeypatch.chdir(repository)
    assert grader("audit", "net.py:Whitener", "--write-baseline", "known.json").status == 0

    ended, outputs = act(MODULES="net.py:Whitener", BASELINE="known.json")

    assert (ended.returncode, outputs) == (0, "errors=0\n")


@pytest.mark.parametrize("sarif", ["", "grader.sarif"])
def test_the_action_without_anything_to_audit_says_so(act, sarif):
    ended, outputs = act(SARIF_FILE=sarif)

    assert (ended.returncode, outputs) == (2, "errors=1\n")
    assert "Name files" in ended.stderr


@pytest.mark.parametrize("sarif", ["", "grader.sarif"])
def test_the_action_over_a_package_that_cannot_be_imported_counts_an_error(act, repository, sarif):
    (repository / "net.py").write_text("import not_there\n" + NET)

    ended, outputs = act(PACKAGE=".", SARIF_FILE=sarif)

    assert (ended.returncode, outputs) == (2, "errors=1\n")


def test_the_action_passes_its_inputs_as_data():
    action = load("action.yml")

    for step in action["runs"]["steps"]:
        assert "${{" not in step.get("run", "")
    (audit,) = (step for step in action["runs"]["steps"] if step.get("id") == "audit")
    read = {name.upper().replace("-", "_") for name in action["inputs"]} - {"PYTHON_VERSION"}
    assert read == set(audit["env"])


@pytest.mark.slow
@pytest.mark.parametrize("hook", load(".pre-commit-hooks.yaml"), ids=lambda hook: hook["id"])
def test_the_pre_commit_hook_runs_what_it_is_given(repository, environment, hook):
    command = [*hook["entry"].split(), "net.py:Whitener"]
    ended = subprocess.run(command, cwd=repository, env=environment, capture_output=True, text=True)

    assert (hook["pass_filenames"], hook["verbose"]) == (False, True)
    assert (ended.returncode, "member-tensor" in ended.stdout) == (1, True)


def test_the_dev_container_installs_what_make_test_needs():
    text = (ROOT / ".devcontainer" / "devcontainer.json").read_text()
    container = json.loads(re.sub(r"^\s*//.*$", "", text, flags=re.MULTILINE))

    (target,) = re.fullmatch("make (.*)", container["postCreateCommand"]).groups()
    plan = subprocess.run(
        ["make", "--dry-run", "--always-make", target], cwd=ROOT, capture_output=True, text=True
    ).stdout
    assert ".[notebooks,site,tests]" in plan


def test_the_jupyterhub_image_copies_what_the_wheel_is_built_from():
    page = (ROOT / "docs" / "integrations.md").read_text(encoding="utf-8")
    lines = re.findall(r"^COPY (.*) \S+$", page, re.MULTILINE)
    copied = {path for line in lines for path in line.split()}
    wheel = PYPROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]

    needed = {*wheel["packages"], *wheel["force-include"], *PROJECT["license-files"]}
    assert {path for path in needed if not path.startswith("grader/")} <= copied
    assert {"pyproject.toml", "constraints.txt", "README.md"} <= copied


def test_the_citation_names_this_version():
    citation = load("CITATION.cff")

    assert citation["version"] == PROJECT["version"]
    assert citation["license"] == PROJECT["license"]
    assert {"cff-version", "message", "title", "authors"} <= citation.keys()


def test_a_pull_request_is_asked_five_things():
    lines = (ROOT / ".github" / "pull_request_template.md").read_text().splitlines()

    assert len(lines) == 5
    assert all(line.startswith("- **") for line in lines)


def test_a_changelog_fragment_is_one_entry_as_the_changelog_has_it():
    fragments = set((ROOT / "docs" / "changelog.d").glob("*")) - {
        ROOT / "docs/changelog.d/README.md"
    }
    entries = {path.name: path.read_text(encoding="utf-8") for path in fragments}

    wrong = [
        name
        for name, text in entries.items()
        if not re.fullmatch(r"[a-z0-9_]+\.md", name)
        or not re.fullmatch(r"- \*\*.+\*\*.+\n(  .+\n)*", text)
    ]
    assert wrong == []


@pytest.mark.parametrize("form", ["wrong_verdict", "bug", "course"])
def test_an_issue_form_has_what_github_asks_of_it(form):
    asked = load(f".github/ISSUE_TEMPLATE/{form}.yml")

    assert {"name", "description", "body"} <= asked.keys()
    ids = [field["id"] for field in asked["body"]]
    assert len(set(ids)) == len(ids)
    for field in asked["body"]:
        assert field["type"] in {"input", "textarea", "dropdown", "checkboxes", "markdown"}
        assert field["attributes"]["label"]


def test_paths_that_workflows_name_are_there():
    texts = [path.read_text() for path in (ROOT / ".github" / "workflows").glob("*.yml")]
    written = r"(?<![\w/.])((?:grader|tests|tools|\.github|\.ci)/[\w./]*\w)"
    named = {path for text in texts for path in re.findall(written, text)}
    named -= {"grader/simulated_cuda/native/built"}  # the release workflow fills it

    assert {"tests/simulated_cuda", "tools/versions.py", ".ci/run"} <= named
    assert {path for path in named if not (ROOT / path).exists()} == set()


def test_a_push_to_a_pull_request_runs_what_is_quick_and_then_one_python():
    text = (ROOT / ".github" / "workflows" / "ci.yml").read_text()
    workflow = yaml.safe_load(text)
    jobs = workflow["jobs"]

    assert [step["run"] for step in jobs["quick"]["steps"][2:]] == ["make lint", "make test"]
    assert "quick" in jobs["check"]["needs"]
    assert jobs["check"]["steps"][-1]["run"] == ".ci/run"
    pythons = jobs["check"]["strategy"]["matrix"]["python"]
    assert "'pull_request' && needs.versions.outputs.python_oldest ||" in pythons
    assert {"push", "pull_request", "merge_group"} == workflow[True].keys()  # YAML 1.1: on is true
    assert workflow["concurrency"]["cancel-in-progress"]


def test_a_release_is_tried_before_it_is_published_and_needs_no_password():
    text = (ROOT / ".github" / "workflows" / "release.yml").read_text()
    jobs = yaml.safe_load(text)["jobs"]

    assert jobs["publish"]["needs"] == "try"
    assert "build" in jobs["try"]["needs"]
    assert jobs["publish"]["permissions"] == {"id-token": "write"}
    assert "secrets." not in text


def test_linux_libraries_are_compiled_in_the_image_of_pytorchs_own_wheels():
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "release.yml").read_text())
    job = workflow["jobs"]["libraries"]
    matrix = job["strategy"]["matrix"]
    images = {entry["system"]: entry["image"] for entry in matrix["include"]}

    assert {system for system in matrix["system"] if "ubuntu" in system} == images.keys()
    assert all("/manylinux_2_28_" in image for image in images.values())
    assert job["container"] == "${{ matrix.image }}"
    (command,) = (s["run"] for s in job["steps"] if "build_wheel" in s.get("run", ""))
    assert "--libraries-only --glibc 2.28" in command
