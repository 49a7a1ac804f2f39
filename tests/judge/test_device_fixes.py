"""Fixes of a tensor that is made on the wrong device, or of a device that a module remembers."""

import re

import pytest
from fixed_code import HEAD, ask, line_of
from literal import MEAN, MIXED, WEIGHT, fact
from msgspec.structs import replace

from grader.judge.fixes.devices import (
    follow_input,
    make_beside_weights,
    make_on_input_device,
)
from grader.judge.fixes.remembered import ask_when_needed
from grader.schema.evidence import Operand, RememberedDevice, Run, Structure

NET = (
    HEAD
    + """\
import numpy as np

class Net(nn.Module):
    def __init__(self, features, device=None):
        super().__init__()
        {start}

    def forward(self, x: torch.Tensor, y=None):
        {body}
        return x
"""
)


def net(*statements, start="pass"):
    return NET.format(body="\n        ".join(statements), start=start)


def after(fixer, source, where, at, *tensors, **changes):
    """The statements that change, as they are then; None where no fix is written."""
    fix = ask(fixer, source, where, at, *(tensors or (WEIGHT,)), **changes)
    return fix and [edit.after for edit in fix.edits]


@pytest.mark.parametrize(
    ("start", "result"),
    [
        (
            "self.weight = nn.Parameter(torch.ones(5, device='cuda'))",
            "self.weight = nn.Parameter(torch.ones(5{, device=device}))",
        ),
        ("self.weight = nn.Parameter(a.cuda())", "self.weight = nn.Parameter(a{.to(device)})"),
        (
            'self.register_buffer("weight", a.cuda())',
            'self.register_buffer("weight", a{.to(device)})',
        ),
        ("self.weight = nn.Parameter(torch.ones(5))", None),
        ("self.weight: nn.Parameter = nn.Parameter(torch.ones(5).cuda())", None),
        ("if features: self.weight = 3", None),
    ],
)  # fmt: skip
def test_what_is_registered_is_made_on_the_cpu_or_where_the_caller_says(start, result):
    source = net("pass", start=start)
    chosen = result and [re.sub(r"[{}]", "", result)]
    left = result and [re.sub(r"{.*}", "", result)]

    assert after(follow_input, source, "self.weight", start) == chosen
    assert after(follow_input, source.replace("device=None", "a"), "self.weight", start) == left


def device_of(statement, *, operands=(), moved=False, annotated=True, tensors=(WEIGHT,)):
    """The device that a factory in a statement gets."""
    source = net(statement, start="self.weight = self.bias = None")
    if not annotated:
        source = source.replace("x: torch.Tensor, y=None", "x, y=None")
    raised = replace(MIXED, line=line_of(source, statement), operands=operands)
    runs = (Run("cuda", raised, moved_inputs=moved),)
    made = after(make_on_input_device, source, "torch.ones", statement, *tensors, runs=runs)
    return made and made[0].partition("device=")[2].removesuffix(")")


@pytest.mark.parametrize(
    ("statement", "options", "device"),
    [
        ("z = torch.ones(3)", {}, "x.device"),
        ("z = torch.ones(y.shape)", {}, "y.device"),
        ("z = torch.ones(y.size(0))", {}, "y.device"),
        ("z = torch.ones(self.shape)", {}, "x.device"),
        ("z = torch.ones(3)", {"annotated": False}, "self.weight.device"),
        ("z = torch.ones(3)", {"moved": True}, "self.weight.device"),
        ("z = torch.ones(y.shape)", {"moved": True}, "self.weight.device"),
        ("z = torch.ones(3)", {"annotated": False, "tensors": (MEAN,)}, None),
    ],
)
def test_a_device_in_scope(statement, options, device):
    assert device_of(statement, **options) == device


def test_an_operand_on_the_cpu_is_to_be_moved_and_no_measure():
    cuda = Operand("cuda:0", (5,), "input", "y[0]")
    cpu = Operand("cpu", (5,), "input", "y")
    local = Operand("cuda:0", (5,), "input", "z")

    assert device_of("z = torch.ones(3)", operands=(cuda,)) == "y[0].device"
    assert device_of("z = torch.ones(3)", operands=(cpu,)) == "x.device"
    assert device_of("z = torch.ones(y.shape)", operands=(cpu,)) == "x.device"
    assert device_of("z = torch.ones(3)", operands=(local,)) == "x.device"


def test_a_registered_tensor_is_asked_that_the_class_binds_and_a_weight_first():
    bias, inner = fact("bias", role="parameter"), fact("weight.weight", role="parameter")
    alien, listed = fact("alien", role="parameter"), fact("bias[0]", role="parameter")

    def asked(*tensors):
        return device_of("z = torch.ones(3)", annotated=False, tensors=tensors)

    assert asked(bias, WEIGHT) == "self.weight.device"
    assert asked(inner, bias) == "self.bias.device"
    assert asked(alien, inner) == "self.weight.weight.device"
    assert asked(alien, listed) is None
    assert asked(fact("bias", role="plain")) is None


ADAPTED = """\
class Adapter(nn.Module):
    def __init__(self, base, rank, device=None):
        super().__init__()
        self.base = base.requires_grad_(False)
        self.down = nn.Parameter(torch.randn(rank, 3))

    def widen(self):
        self.up = nn.Linear(3, 3)
"""


def test_what_is_added_later_is_made_beside_the_weights():
    base = fact("layers[0].base.weight", role="parameter")
    own = fact("base.weight", role="parameter")
    source = (HEAD + ADAPTED).replace(", device=None", "")

    assert after(make_beside_weights, source, "self.layers[0].down", "self.down", base) == [
        "self.down = nn.Parameter(torch.randn(rank, 3, device=self.base.weight.device))"
    ]
    layer = source.replace("nn.Parameter(torch.randn(rank, 3))", "nn.Linear(3, rank)")
    assert after(make_beside_weights, layer, "self.layers[0].down.bias", "self.down", base) == [
        "self.down = nn.Linear(3, rank, device=self.base.weight.device)"
    ]
    assert after(make_beside_weights, source, "self.up", "self.up", own) == [
        "self.up = nn.Linear(3, 3, device=self.base.weight.device)"
    ]
    assert after(make_beside_weights, source, "self.down", "self.down", base) is None
    given = HEAD + ADAPTED  # then that is the one to hand on
    assert after(make_beside_weights, given, "self.layers[0].down", "self.down", base) is None


def test_a_function_of_autograd_asks_what_it_is_given():
    source = f"""{HEAD}
class Sum(torch.autograd.Function):
    @staticmethod
    def backward(ctx, grad):
        return grad * torch.ones(ctx.size)
"""

    assert after(make_on_input_device, source, "torch.ones", "return grad") == [
        "return grad * torch.ones(ctx.size, device=grad.device)"
    ]


REMEMBERED = (RememberedDevice("self.device", 6, "cpu"),)


def test_a_remembered_device_is_asked_for():
    structure = Structure((WEIGHT,), devices=REMEMBERED)
    source = net(
        "z = y.to(self.device)",
        "if self.device: pass",
        "self.device = self.device or z",
        start="self.device = device or self.device",
    )

    made = after(ask_when_needed, source, "self.device", "z = y", structure=structure)
    assert made == ["z = y.to(x.device)"]


def test_where_one_use_has_no_device_in_scope_none_is_replaced():
    structure = Structure((MEAN,), devices=REMEMBERED)
    source = net("z = y.to(self.device)") + "\n    def more(self):\n        return self.device\n"
    outside = net("pass") + "\ndef free(self, x: torch.Tensor):\n    return x.to(self.device)\n"

    for whole, at in ((source, "z = y"), (outside, "return x.to")):
        assert after(ask_when_needed, whole, "self.device", at, MEAN, structure=structure) is None
