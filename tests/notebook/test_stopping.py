"""Interrupting an endless loop: one line that names the learner's."""

import _thread
import signal
import threading
import time

import pytest
import torch
from torch import nn

from grader import check
from grader.notebook import audit
from grader.notebook.stopping import StoppedError
from grader.simulated_cuda import is_enabled

SECONDS = 0.5
LONGEST = 10  # seconds that the loop takes if nothing interrupts it
SPIN = ("x = x + 1", "while time.monotonic() < end:")


class Spinning(nn.Module):
    def __init__(self, features=3):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(features))
        self.register_buffer("running_mean", torch.zeros(features))

    def forward(self, x):
        running.set()
        end = time.monotonic() + LONGEST
        while time.monotonic() < end:
            x = x + 1


running = threading.Event()


@pytest.fixture
def interrupt_later():
    """Presses Ctrl-C shortly after `forward` has begun."""
    running.clear()
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # xdist ignores it

    def press():
        if running.wait(60):
            threading.Event().wait(SECONDS)
            _thread.interrupt_main()

    thread = threading.Thread(target=press)
    thread.start()
    yield
    running.set()
    thread.join()
    signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize(
    "judge",
    [lambda: check("04", Spinning), lambda: audit(Spinning(), torch.ones(3))],
    ids=["check", "audit"],
)
def test_the_line_is_the_learners_and_the_traceback_is_gone(judge, interrupt_later):
    with pytest.raises(StoppedError) as stopped:
        judge()

    (line,) = stopped.value._render_traceback_()
    assert "\n" not in line
    assert "test_stopping.py, line " in line
    assert any(f", in forward: `{each}`." in line for each in SPIN)
    assert stopped.value.__suppress_context__


def test_an_interrupt_is_still_one_and_leaves_nothing_switched(interrupt_later):
    was_enabled = is_enabled()
    with pytest.raises(KeyboardInterrupt):
        check("04", Spinning)

    assert torch.is_grad_enabled()
    assert is_enabled() == was_enabled
