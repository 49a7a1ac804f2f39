"""The pytest plugin, in the test suite of some other project."""

import os
import subprocess
import sys

import pytest
import torch

from grader.pytest_plugin import assert_moves
from grader.simulated_cuda.native.build import cache_folder

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
from grader.simulated_cuda.native.build import cache_folder

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


def test_the_simulated_device_lasts_one_test(project):
    test = """
def test_on(simulated_cuda):
    assert torch.cuda.device_count() == 2
    assert Fixed().cuda()(torch.randn(2, 3, device="cuda")).device == torch.device("cuda:0")

def test_off():
    from grader.simulated_cuda import is_enabled
    assert not is_enabled()
"""
    run(project, test).assert_outcomes(passed=2)


SKIPPED_WITHOUT_CUDA = """
import pytest
import torch

@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs CUDA")
def test_it():
    assert torch.ones(1).cuda().device == torch.device("cuda:0")

@pytest.mark.parametrize("device", range(torch.cuda.device_count()))
def test_each(device):
    assert torch.ones(1, device=device).get_device() == device
"""


# Other plugins of this environment, whose import takes as long as the tests.
WITHOUT = ("-p", "no:nbval", "-p", "no:hypothesispytest")


def suite(pytester, *options, **environment):
    """Run pytest, as a program, over tests that need CUDA when they are imported."""
    pytester.makepyfile(test_cuda=SKIPPED_WITHOUT_CUDA)
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("SIMULATED_CUDA", raising=False)
        for name, value in environment.items():
            patch.setenv(name, value)
        return pytester.runpytest_subprocess(*WITHOUT, *options)


def test_the_device_is_on_before_test_modules_are_imported(pytester, golden):
    result = suite(pytester, "--simulated-cuda")

    result.assert_outcomes(passed=3)
    header = [line for line in result.outlines if line.startswith("simulated CUDA")]
    golden("pytest_header", "\n".join(header) + "\n")


def test_the_number_of_devices(pytester):
    suite(pytester, "--simulated-cuda=3").assert_outcomes(passed=4)
    suite(pytester, SIMULATED_CUDA="1").assert_outcomes(passed=2)
    suite(pytester).assert_outcomes(skipped=2)


def test_a_path_after_the_option_is_a_path(pytester):
    pytester.makepyfile(test_other="def test_it(): assert False")

    suite(pytester, "--simulated-cuda", "test_cuda.py").assert_outcomes(passed=3)
    suite(pytester, "--simulated-cuda", "3", "test_cuda.py").assert_outcomes(passed=4)


def test_conftest_files_are_imported_afterwards(pytester):
    pytester.makeconftest("import torch; assert torch.cuda.device_count() == 2")

    suite(pytester, "--simulated-cuda").assert_outcomes(passed=3)


def test_the_workers_of_xdist_have_it(pytester):
    suite(pytester, "--simulated-cuda", "-n2").assert_outcomes(passed=3)


def test_wrong_numbers_are_usage_errors(pytester, golden):
    wrong = [("--simulated-cuda=two",), ("--simulated-cuda=99",)]
    errors = [suite(pytester, *options).stderr.str() for options in wrong]
    errors.append(suite(pytester, SIMULATED_CUDA="two").stderr.str())

    golden("pytest_usage_errors", "".join(error.lstrip("\n") for error in errors))


def test_pytest_starts_without_torch():
    options = ["--fixtures", "-p", "no:nbval", os.devnull]
    starts = f"import sys, pytest; pytest.main({options}); print(*sys.modules)"
    command = [sys.executable, "-c", starts]
    loaded = subprocess.run(command, capture_output=True, text=True).stdout.split()

    assert "grader.pytest_plugin" in loaded
    assert "torch" not in loaded
