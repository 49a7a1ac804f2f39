"""The picture of a module's registers, drawn from the module."""

import matplotlib as mpl
import pytest
import torch
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output
from torch import nn

from grader import simulated_cuda
from grader.course import figures


class Denoiser(nn.Module):
    def __init__(self):
        super().__init__()
        self.strength = nn.Parameter(torch.ones(1))
        self.register_buffer("hiss", torch.zeros(8))
        self.register_buffer("angles", None, persistent=False)
        self.smooth = nn.Linear(8, 8)
        self.window = torch.hann_window(8)
        self.layers = [nn.Linear(8, 8)]
        self.device = torch.device("cpu")
        self.calls = 0


@pytest.fixture
def said():
    """What the picture of a module says in words."""
    mpl.use("agg")
    InteractiveShell.instance()

    def draw(module):
        with capture_output() as captured:
            figures.registers(module)
        (output,) = captured.outputs
        return output.data["text/plain"]

    with simulated_cuda(devices=2):
        yield draw
    InteractiveShell.clear_instance()


def test_each_value_is_in_its_row_with_its_device(said):
    text = said(Denoiser().cuda())

    assert "parameters: strength on the GPU; " in text
    assert "buffers: hiss on the GPU; " in text
    assert "child modules: smooth on the GPU; not saved: angles = None; " in text
    assert "`.cuda()` reads parameters, buffers, child modules, not saved; " in text
    assert "`state_dict()` reads parameters, buffers, child modules; " in text
    outside = "window on the CPU, layers: list on the CPU, device = cpu, calls = 0. "
    assert f"ordinary attributes: {outside}" in text


def test_a_replica_has_its_parameters_outside(said):
    replica = torch.nn.parallel.replicate(Denoiser().cuda(), [0, 1])[1]

    assert "parameters: none; " in said(replica)
    assert "strength on the GPU" in said(replica).partition("ordinary attributes")[2]
