"""The device's pytest plugin in the test suite of some other project; docs/device.md has more."""

import os
import subprocess
import sys

import pytest
import torch
from in_pytest import environment

pytest_plugins = ["pytester"]
PLUGIN = "grader.simulated_cuda.pytest_plugin"
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


@pytest.fixture(autouse=True)
def _of_this_machine(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in _device_variables():
        monkeypatch.delenv(name)
    for name, text in environment(pytester.path).items():
        monkeypatch.setenv(name, text)


def suite(pytester: pytest.Pytester, *options: str) -> pytest.RunResult:
    """Run pytest, as a program, over tests that need CUDA when they are imported."""
    pytester.makepyfile(test_cuda=SKIPPED_WITHOUT_CUDA)
    return pytester.runpytest_subprocess(*options)


def inside(pytester: pytest.Pytester, test: str, *options: str) -> pytest.RunResult:
    """Run pytest in this process, which has torch, over one file; it leaves no variable behind."""
    pytester.makepyfile(test_it=f"import pytest, torch\n{test}")
    before = _device_variables()
    result = pytester.runpytest_inprocess("--strict-markers", *options)
    assert _device_variables() == before
    return result


def _device_variables() -> dict[str, str]:
    return {name: text for name, text in os.environ.items() if name.startswith("SIMULATED_CUDA")}


@pytest.mark.nightly
def test_a_path_after_the_option_is_a_path(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_other="def test_it(): assert False")

    suite(pytester, "--simulated-cuda", "test_cuda.py").assert_outcomes(passed=3)
    suite(pytester, "--simulated-cuda", "3", "test_cuda.py").assert_outcomes(passed=4)


def test_conftest_files_are_imported_afterwards(pytester: pytest.Pytester) -> None:
    pytester.makeconftest("import torch; assert torch.cuda.device_count() == 2")

    suite(pytester, "--simulated-cuda").assert_outcomes(passed=3)


NUMBER = "give a number of devices: "


@pytest.mark.search
@pytest.mark.parametrize(
    ("option", "error"),
    [
        ("--simulated-cuda=two", f"--simulated-cuda=two: {NUMBER}--simulated-cuda=2."),
        ("-osimulated_cuda=two", f"simulated_cuda = two: {NUMBER}simulated_cuda = 2."),
        ("--simulated-cuda=99", "The simulated CUDA device cannot be had: There can be 0 to 16 *"),
    ],
)
def test_a_wrong_number_is_a_usage_error(
    option: str, error: str, pytester: pytest.Pytester
) -> None:
    ended = suite(pytester, option)

    assert ended.ret == pytest.ExitCode.USAGE_ERROR
    ended.stderr.fnmatch_lines([f"ERROR: {error}"])


def test_a_wrong_variable_is_a_usage_error(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SIMULATED_CUDA", "two")

    ended = suite(pytester)

    assert ended.ret == pytest.ExitCode.USAGE_ERROR
    assert "ERROR: SIMULATED_CUDA is 'two'. Set it to the number" in ended.stderr.str()


COUNTS = "def test_count(): assert torch.cuda.device_count() == {}"


def test_the_option_overrides_the_variable_and_that_the_ini_key(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    key = ("-o", "simulated_cuda=3")
    inside(pytester, COUNTS.format(3), *key).assert_outcomes(passed=1)
    monkeypatch.setenv("SIMULATED_CUDA", "4")
    inside(pytester, COUNTS.format(4), *key).assert_outcomes(passed=1)
    inside(pytester, COUNTS.format(5), *key, "--simulated-cuda=5").assert_outcomes(passed=1)


def test_where_there_is_a_gpu_the_ini_key_leaves_it_alone(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []
    how = "PYTORCH_NVML_BASED_CUDA_CHECK"
    monkeypatch.setattr(torch.cuda, "is_available", lambda: asked.append(os.environ[how]) or True)
    test = f"""
import os
from grader import simulated_cuda

def test():
    assert not simulated_cuda.is_enabled()
    assert not {{"SIMULATED_CUDA", "{how}"}} & os.environ.keys()
"""

    ended = inside(pytester, test, "-o", "simulated_cuda=2")

    ended.assert_outcomes(passed=1)
    ended.stdout.fnmatch_lines(["simulated CUDA: off, as there is a GPU; --simulated-cuda is on"])
    assert asked == ["1"]  # NVML, so that CUDA is not started before a test forks


def test_the_header_says_what_cuda_is(pytester: pytest.Pytester) -> None:
    ended = inside(pytester, COUNTS.format(1), "--simulated-cuda=1")

    ended.stdout.fnmatch_lines(["simulated CUDA: 1 device, * implementation, no real GPU"])


MARKED = """
from grader.simulated_cuda import is_enabled

@pytest.mark.simulated_cuda
def test_two(): assert torch.cuda.device_count() == 2

@pytest.mark.simulated_cuda(devices=4)
def test_with_the_fixture(simulated_cuda): assert torch.cuda.device_count() == 4

@pytest.mark.simulated_cuda(devices=1)
class TestOne:
    def setup_method(self): self.here = torch.ones(1, device="cuda")
    def teardown_method(self): assert torch.ones(1, device="cuda") == self.here

    @pytest.mark.skipif("torch.cuda.device_count() != 1", reason="asked when the device is on")
    def test_it(self): assert torch.cuda.device_count() == 1

    @pytest.mark.simulated_cuda(0)
    @pytest.mark.xfail(raises=(RuntimeError, AssertionError), strict=True)
    def test_the_closest_counts(self): torch.ones(1).cuda()

def test_off(): assert not is_enabled()
"""


def test_a_marker_is_for_one_test_and_its_fixtures(pytester: pytest.Pytester) -> None:
    ended = inside(pytester, MARKED)

    ended.assert_outcomes(passed=4, xfailed=1)


def test_a_wrong_marker_is_an_error_of_its_test(pytester: pytest.Pytester) -> None:
    test = "@pytest.mark.simulated_cuda(device=2)\ndef test_it(): pass\ndef test_other(): pass"
    ended = inside(pytester, test)

    ended.assert_outcomes(errors=1, passed=1)
    ended.stdout.fnmatch_lines(["E * unexpected keyword argument 'device'*"])


def test_the_marker_is_registered(pytester: pytest.Pytester) -> None:
    ended = inside(pytester, "", "--markers")

    ended.stdout.fnmatch_lines(["@pytest.mark.simulated_cuda(devices=2): give the test so many *"])


def test_pytest_starts_without_torch() -> None:
    options = ["--fixtures", "-p", PLUGIN, os.devnull]
    starts = f"import sys, pytest; pytest.main({options}); print(*sys.modules)"
    command = [sys.executable, "-c", starts]
    loaded = subprocess.run(command, capture_output=True, text=True).stdout.split()

    assert PLUGIN in loaded
    assert "torch" not in loaded
