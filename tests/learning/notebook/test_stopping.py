"""Interrupting an endless loop: one line that names the learner's."""

import _thread
import signal
from threading import Thread

import pytest
import torch
from torch import nn

from grader import check
from grader.learning.notebook import audit
from grader.learning.notebook.expected_error import StoppedError
from grader.simulated_cuda import is_enabled


class Spinning(nn.Module):
    """Presses Ctrl-C in each round of an endless loop, from a frame of Python's library.

    One press may be lost: Hypothesis registers a garbage collection callback, and Python only
    reports a KeyboardInterrupt that is raised in there.
    """

    def __init__(self, features=3):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(features))
        self.register_buffer("running_mean", torch.zeros(features))

    def forward(self, x):
        while True:
            Thread(target=_thread.interrupt_main).run()


@pytest.fixture(autouse=True)
def python_handles_ctrl_c():
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # xdist ignores it
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize(
    "judge",
    [lambda: check("04", Spinning), lambda: audit(Spinning(), torch.ones(3))],
    ids=["check", "audit"],
)
def test_the_line_is_the_learners_and_the_traceback_is_gone(judge):
    with pytest.raises(StoppedError) as stopped:
        judge()

    (line,) = stopped.value._render_traceback_()
    assert "\n" not in line
    assert "test_stopping.py, line " in line
    assert ", in forward: `Thread(target=_thread.interrupt_main).run()`." in line
    assert stopped.value.__suppress_context__


def test_an_interrupt_is_still_one_and_leaves_nothing_switched():
    was_enabled = is_enabled()
    with pytest.raises(KeyboardInterrupt):
        check("04", Spinning)

    assert torch.is_grad_enabled()
    assert is_enabled() == was_enabled
