"""A plain installation is small, and says what to install for the rest."""

import re
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from grader.cli.extras import EXTRAS, how_to_get
from grader.course.catalog import solution_file
from grader.probe.containment.sandbox import landlock

PROJECT = tomllib.loads(Path(__file__).parents[2].joinpath("pyproject.toml").read_text())["project"]
# PyYAML is for torchgen, which is part of torch; filelock and Jinja2 come with torch.
PLAIN = {
    "click",
    "filelock",
    "jinja2",
    "lazy-loader",
    "msgspec",
    "numpy",
    "pyyaml",
    "rich",
    "torch",
}

# As after a plain installation: an import of what it leaves out fails.
WITHOUT = """
import sys
from grader.course.catalog import solution_file
from grader.probe.containment.sandbox import landlock
from grader.cli.extras import EXTRAS

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in EXTRAS:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Absent())
sys.argv[0] = "grader"
from grader.cli import main
main()
"""

NETWORK = """
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = [nn.Linear(3, 3)]

    def forward(self, x):
        return self.layers[0](x)

def example_input():
    import torch
    return torch.ones(2, 3)
"""


def grader(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", WITHOUT, *arguments]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)


def names(lines: list[str]) -> set[str]:
    return {canonicalize_name(Requirement(line).name) for line in lines}


def test_a_plain_installation_brings_little():
    assert names(PROJECT["dependencies"]) == PLAIN


def test_each_package_is_named_with_the_extra_that_has_it():
    extras = PROJECT["optional-dependencies"]
    brought = packages_distributions()
    # IPython comes with JupyterLab's kernel.
    for package, extra in {k: v for k, v in EXTRAS.items() if k != "IPython"}.items():
        assert names(extras[extra]) & names(brought[package]), package


def test_what_a_package_needs_itself_is_not_ours_to_explain():
    assert how_to_get(ModuleNotFoundError("No module named 'scipy'", name="scipy")) == ""


def test_an_audit_needs_no_extra(tmp_path):
    (tmp_path / "net.py").write_text(NETWORK)

    ran = grader("audit", "net.py:Net", cwd=tmp_path)

    assert "python-container" in ran.stdout, ran.stderr
    assert ran.returncode == 1


@pytest.mark.parametrize(
    ("arguments", "package", "extra"),
    [
        (("progress",), "platformdirs", "learn"),
        (("watch",), "prompt_toolkit|watchfiles", "learn"),
        pytest.param(
            ("batch", "handed_in", "--out", "marks"),
            "pyseccomp",
            "classroom",
            marks=pytest.mark.skipif(not landlock.version(), reason="no sandbox on this system"),
        ),
    ],
)
def test_what_is_missing_is_named_with_its_command(
    arguments, package, extra, tmp_path, monkeypatch
):
    monkeypatch.delenv("GRADER_JOURNAL", raising=False)
    answer = tmp_path / "handed_in" / "ada" / "03_member_tensors.py"
    answer.parent.mkdir(parents=True)
    answer.write_text(solution_file("03_member_tensors").read_text())

    ran = grader(*arguments, cwd=tmp_path)

    assert re.search(f"needs ({package}), which is not installed", ran.stderr), ran.stderr
    assert f'pip install "wheres-my-tensor[{extra}]"' in ran.stderr
    assert ran.returncode == 2
    assert "Traceback" not in ran.stderr


@pytest.mark.parametrize(("where", "pip"), [("uv", "uv pip"), ("venv", "python -m pip")])
def test_the_advice_names_the_environments_own_pip(monkeypatch, where, pip):
    monkeypatch.setattr("grader.cli.extras.home", lambda: where)

    advice = how_to_get(ModuleNotFoundError("No module named 'fsrs'", name="fsrs"))

    assert advice.endswith(f'    {pip} install "wheres-my-tensor[learn]"')


def test_uvx_and_pipx_find_a_command_of_the_packages_name():
    assert PROJECT["scripts"][PROJECT["name"]] == PROJECT["scripts"]["grader"]


@pytest.mark.nightly
def test_the_doctor_says_it_as_well(tmp_path, monkeypatch):
    monkeypatch.delenv("GRADER_JOURNAL", raising=False)

    ran = grader("doctor", cwd=tmp_path)

    assert "is not kept: this is a plain installation" in ran.stdout, ran.stderr
    assert '[learn]"' in ran.stdout
    assert (ran.returncode, "✗" in ran.stdout) == (0, False)
