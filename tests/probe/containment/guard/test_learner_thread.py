"""From the learner's thread no frame leads to the probe, and what it leaves on is switched off."""

import inspect
import os
import subprocess
import sys
import threading

import pytest
import torch
from torch.overrides import TorchFunctionMode

from grader.probe.containment.guard.learner_thread import learner_thread

# OpenMP itself says how many threads it would use. Its library is PyTorch's own copy.
ASK_OPENMP = """
import ctypes
from pathlib import Path

import torch

from grader.probe.containment.guard.learner_thread import learner_thread

torch.set_num_threads(1)
(library,) = (Path(torch.__file__).parent / "lib").glob("lib*omp[.-]*")
run = learner_thread(lambda: None, lambda: None).run
print(run(ctypes.CDLL(str(library)).omp_get_max_threads))
"""


class Loud(TorchFunctionMode):
    """A mode that must not be seen from outside."""

    def __torch_function__(self, func, types, args=(), kwargs=None):
        raise RuntimeError("seen")


@pytest.fixture(scope="module")
def run():
    return learner_thread(lambda: None, lambda: None).run


def test_the_result_comes_back(run):
    assert run(lambda: threading.current_thread() is threading.main_thread()) is False


def test_an_exception_comes_back(run):
    with pytest.raises(SystemExit):
        run(sys.exit)


def test_no_frame_is_of_this_file_but_the_actions_own(run):
    names = run(lambda: [frame.function for frame in inspect.stack()])

    assert names[0] == "<lambda>"
    assert "test_no_frame_is_of_this_file_but_the_actions_own" not in names


def test_the_callers_grad_mode_holds(run):
    with torch.no_grad():
        assert run(torch.is_grad_enabled) is False
    assert run(torch.is_grad_enabled) is True


@pytest.mark.parametrize(
    "leave_on",
    [
        lambda: Loud().__enter__(),
        lambda: torch.set_default_device("meta"),
        lambda: torch.set_grad_enabled(False),
        lambda: sys.settrace(lambda *args: None),
        lambda: torch.autograd.set_detect_anomaly(True),
    ],
)
def test_what_is_left_on_is_switched_off(run, leave_on):
    run(leave_on)

    def state():
        ones = torch.ones(1) + 1
        return ones.device.type, sys.gettrace(), torch.is_grad_enabled()

    assert run(state) == ("cpu", None, True)
    assert not torch.is_anomaly_enabled()


def test_an_action_that_calls_back_runs_in_the_same_thread(run):
    outer, inner = run(lambda: (threading.get_ident(), run(threading.get_ident)))

    assert outer == inner


@pytest.mark.skipif(sys.platform == "win32", reason="this system's OpenMP has another name")
def test_openmp_has_as_many_threads_there_as_pytorch():
    environment = {**os.environ, "OMP_NUM_THREADS": "3"}
    command = [sys.executable, "-c", ASK_OPENMP]

    said = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)

    assert said.stdout == "1\n"
