"""Whose line it was, and where the tensor on the wrong device came from."""

import inspect

import numpy as np
import pytest
import torch
from probing import BATCH, probe
from torch import nn

from grader.probe.inspection.tracing import Trace
from grader.schema import Operand, Raised
from grader.schema.recipe import Input
from grader.simulated_cuda import simulated_cuda


def raised_by(cls: type, *inputs: Input) -> Raised:
    """What a class's call on CUDA raised."""
    (raised,) = [run.raised for run in probe(cls, *inputs).runs if run.device == "cuda"]
    assert raised is not None
    return raised


def misplaced(raised: Raised) -> Operand:
    """The operand on the CPU that is no mere number."""
    (operand,) = [
        operand for operand in raised.operands if operand.device == "cpu" and operand.shape
    ]
    return operand


def line_of(cls: type, text: str) -> int:
    lines, first = inspect.getsourcelines(cls)
    (number,) = [i for i, line in enumerate(lines) if text in line]
    return first + number


class Masked(nn.Module):
    def __init__(self):
        super().__init__()
        self.mask = torch.tensor([1.0, 0.0, 1.0])

    def forward(self, x):
        return x.mul(self.mask)


def test_an_attribute_is_named_with_the_line_that_made_it_and_the_input_on_cuda():
    raised = raised_by(Masked)
    operand = misplaced(raised)
    (other,) = [operand for operand in raised.operands if operand.device != "cpu"]

    assert raised.type == "RuntimeError"
    assert raised.operation == "torch.Tensor.mul"
    assert raised.line == line_of(Masked, "x.mul")
    assert raised.code == "return x.mul(self.mask)"
    assert (operand.source, operand.name, operand.shape) == ("attribute", "self.mask", (3,))
    assert operand.line == line_of(Masked, "torch.tensor")
    assert (other.source, other.name, other.device) == ("input", "x", "cuda:0")


class Noisy(nn.Module):
    def __init__(self):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(3))

    def forward(self, x):
        noise = torch.randn(x.shape)
        scaled = noise.abs().mul(0.1).view(4, 3)
        return x + scaled


def test_a_tensor_made_in_forward_is_followed_back_to_the_call_that_made_it():
    raised = raised_by(Noisy)
    operand = misplaced(raised)

    assert raised.line == line_of(Noisy, "return x + scaled")
    assert (operand.source, operand.name) == ("made", "torch.randn")
    assert operand.line == line_of(Noisy, "torch.randn")
    assert operand.code == "noise = torch.randn(x.shape)"


class Viewed(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = torch.arange(12.0).view(4, 3)

    def forward(self, x):
        rows = self.table[:4].unsqueeze(0)
        return x + rows.squeeze(0)


def test_a_view_is_followed_back_to_the_attribute_it_is_a_view_of():
    assert misplaced(raised_by(Viewed)).name == "self.table"


class Retried(nn.Module):
    """The first failure is caught; the second is what leaves `forward`."""

    def __init__(self):
        super().__init__()
        self.offset = torch.zeros(3)

    def forward(self, x):
        try:
            return x + self.offset
        except RuntimeError:
            raise ValueError("offset does not fit") from None


def test_an_exception_of_the_learners_own_has_no_operation():
    raised = raised_by(Retried)

    assert (raised.type, raised.message) == ("ValueError", "offset does not fit")
    assert raised.line == line_of(Retried, "raise ValueError")
    assert (raised.operation, raised.operands) == ("", ())


class Sorted(nn.Module):
    def forward(self, x):
        return torch.from_numpy(np.sort(x.detach().numpy()))


def test_numpy_is_refused_in_the_learners_line():
    raised = raised_by(Sorted)

    assert raised.line == line_of(Sorted, "np.sort")
    assert "device type tensor to numpy" in raised.message


class WordlessError(Exception):
    def __str__(self):
        raise RuntimeError("no words")


class Speechless(nn.Module):
    def forward(self, x):
        raise WordlessError


def test_an_exception_that_cannot_say_what_it_is_does_no_harm():
    raised = raised_by(Speechless)

    text = "(its `__str__` raised RuntimeError)"
    assert (raised.type, raised.message) == ("WordlessError", text)
    assert raised.line == line_of(Speechless, "raise WordlessError")


class Labelled(nn.Module):
    def forward(self, x, lengths):
        return x[torch.arange(4).flip(0)] + lengths.sum()


def test_an_index_on_the_cpu_is_no_mixing_of_devices():
    evidence = probe(Labelled, BATCH, Input((4,), "integers", high=5))

    assert [run.raised for run in evidence.runs] == [None, None]


@pytest.mark.parametrize("wrapper", [nn.Sequential, nn.ModuleList])
def test_a_plain_tensor_in_a_child_is_named_by_its_way_from_the_top(wrapper):
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.blocks = wrapper([Masked()]) if wrapper is nn.ModuleList else wrapper(Masked())

        def forward(self, x):
            return self.blocks[0](x)

    raised = raised_by(Net)
    assert misplaced(raised).name == "self.blocks[0].mask"
    assert raised.line == line_of(Masked, "x.mul"), "the deepest line of the learner's"


def test_a_parameter_that_came_from_the_gpu_is_told_from_a_table_that_is_written_back():
    weight, table = nn.Parameter(torch.ones(3)), torch.ones(3)
    with simulated_cuda():
        there = nn.Parameter(weight.detach().cuda())
        trace = Trace(set())
        trace.begin_call()
        with trace:
            doubled = there.cpu().detach() * 2
            table.cuda()
            kept = table.clone()
            table.copy_(kept)  # each is a copy of the other now
            more = table + 1

    assert not doubled.is_cuda
    assert not more.is_cuda
    assert (trace.now.work.on_cpu, trace.now.work.weights_on_cpu) == (2, 1)


def test_a_tensor_that_is_gone_leaves_no_line_to_the_next_one_of_its_id():
    def made():
        tensor = nn.Parameter(torch.zeros(2))
        tensor.data = torch.ones(2)
        return tensor

    trace = Trace({__file__})
    with trace:
        kept, _ = made(), made()
    del _

    trace.begin_call()

    assert [id(tensor) for tensor, _ in trace.rebound.values()] == [id(kept)]
