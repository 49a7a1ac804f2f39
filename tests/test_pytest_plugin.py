"""The pytest plugin, in the test suite of some other project."""

import os
import subprocess
import sys

import pytest
import torch

from grader.pytest_plugin import assert_moves
from grader.simulated_cuda import cache_folder

pytest_plugins = ["pytester"]
CACHE = str(cache_folder())

MODELS = """
import torch
from torch import nn

class Masked(nn.Module):
    def __init__(self):
        super().__init__()
        self.mask = torch.tensor([True, False, False])

    def forward(self, x):
        return x.masked_fill(self.mask, 0.0)

class Fixed(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("mask", torch.tensor([True, False, False]))

    def forward(self, x):
        return x.masked_fill(self.mask, 0.0)
"""


@pytest.fixture(autouse=True)
def cached(monkeypatch: pytest.MonkeyPatch) -> None:
    """pytester gives each test another home, in which the device would be compiled again."""
    monkeypatch.setenv("SIMULATED_CUDA_CACHE", CACHE)


@pytest.fixture(scope="module")
def loaded() -> None:
    """pytester unloads what a run was the first to import, and torch cannot be loaded twice."""
    assert_moves(torch.nn.Linear(3, 3), torch.ones(2, 3))


@pytest.fixture
def project(loaded: None, pytester: pytest.Pytester) -> pytest.Pytester:
    pytester.makepyfile(models=MODELS)
    return pytester


def run(project, test, *options):
    project.makepyfile(test_models=f"import torch\nfrom models import Fixed, Masked\n{test}")
    return project.runpytest("-p", "no:nbval", *options)


def test_a_module_that_moves_passes(project):
    test = """
def test_instance(assert_moves):
    assert_moves(Fixed(), torch.randn(2, 3))

def test_class_and_keywords(assert_moves):
    assert_moves(Fixed, {"x": torch.randn(2, 3)})
"""
    run(project, test, "-W", "error").assert_outcomes(passed=2)


def test_the_failure_is_the_report(project):
    test = """
from grader.pytest_plugin import assert_moves

def test_it():
    assert_moves(Masked, torch.randn(2, 3))
"""
    result = run(project, test)

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "E * AssertionError: Audit of Masked   models.py",
            "E * ? FOUND 1 error *",
            "E * ? member-tensor  self.mask",
            "E * models.py:7",
            "E * Fix: Register it*",
        ]
    )
    result.stdout.no_fnmatch_line("*grader/pytest_plugin.py*")


def test_what_cannot_be_audited_has_not_passed(project):
    test = """
def test_it(assert_moves):
    assert_moves(Fixed, torch.randn(2, 7))
"""
    result = run(project, test)

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["E * ? CANNOT BE AUDITED *"])


def test_a_warning_is_a_warning_of_pytest(project):
    test = """
def test_it(assert_moves):
    assert_moves(Masked)
"""
    result = run(project, test, "-W", "default")

    result.assert_outcomes(passed=1, warnings=1)
    result.stdout.fnmatch_lines(["*test_models.py:5: MoveWarning: Audit of Masked *"])


def test_pytest_starts_without_torch():
    options = ["--fixtures", "-p", "no:nbval", os.devnull]
    starts = f"import sys, pytest; pytest.main({options}); print(*sys.modules)"
    command = [sys.executable, "-c", starts]
    loaded = subprocess.run(command, capture_output=True, text=True).stdout.split()

    assert {"grader.pytest_plugin", "grader.simulated_cuda.pytest_plugin"} <= set(loaded)
    assert "torch" not in loaded
