"""`make new` begins what works before its author has changed a word."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from new import BadNameError
from new import main as begin

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def repository(tmp_path):
    """A copy of what an author works on, and its `grader` command."""
    ignored = shutil.ignore_patterns("__pycache__")
    folders = ("grader", "exercises", "solutions", "notebooks", "docs/findings", "tools", "tests")
    for folder in folders:
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=ignored)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)

    def run(*arguments, run=("-m", "grader.cli")):
        command = [sys.executable, *run, *arguments]
        environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
        return subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True
        )

    return run


@pytest.mark.nightly
def test_a_new_exercise_behaves_as_it_declares(repository):
    begun = repository("16_gamma_correction", run=["tools/new.py"])
    verified = repository("16", run=["tools/verify"])

    assert begun.returncode == 0, begun.stderr
    assert "exercises/16_gamma_correction.py" in begun.stdout
    assert verified.stdout.endswith("All behave as declared.\n")
    assert "class GammaCorrection" in repository("solution", "16").stdout


@pytest.mark.nightly
def test_a_new_finding_is_found_explained_and_counted(repository):
    before = repository("explain").stdout.splitlines()

    # No name that a contributor would choose: the test runs beside what they have begun.
    begun = repository("made-by-the-test", run=["tools/new.py"])
    about_it = "test_made_by_the_test.py or test_explain.py or made_by_the_test_ex or every_c"
    tests = ("tests/judge", "tests/render/test_explain.py", "tests/auditing/test_cases.py")
    tested = repository("-q", "-k", about_it, *tests, run=["-m", "pytest"])

    assert begun.returncode == 0, begun.stderr
    # The README is not among them: a number there would make any two branches conflict.
    assert begun.stdout.partition("\n\n")[0].splitlines() == [
        "grader/judge/findings/made_by_the_test.py",
        "docs/findings/made-by-the-test.md",
        "tests/judge/test_made_by_the_test.py",
        "tests/auditing/cases/made_by_the_test_example.py",
        "grader/judge/codes.py",
        "docs/findings/index.md",
    ]
    assert tested.returncode == 0, tested.stdout
    assert len(repository("explain").stdout.splitlines()) == len(before) + 1


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("gamma_correction", "such as 16_gamma_correction"),
        ("16_Gamma", "such as 16_gamma_correction"),
        ("16/../gamma", "such as 16_gamma_correction"),
        ("04_gamma_correction", "The number is taken, by 04_parameter_or_buffer."),
        ("Gradient_Detached", "such as gradient-detached"),
        ("../gradient-detached", "such as gradient-detached"),
        ("member-tensor", "The code member-tensor is taken"),
    ],
)
def test_a_name_that_cannot_be(name, message):
    with pytest.raises(BadNameError, match=re.escape(message)):
        begin(name)
