"""Fixes of overridden moves."""

import pytest
from fixed_code import HEAD, ask, edited
from literal import WEIGHT, fact

from grader.judge.fixes.overrides import leave_to_module
from grader.schema.evidence import RememberedDevice, Structure

NET = (
    HEAD
    + """\
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(5))
        self.limit = torch.ones(5)
        self.place = torch.device("cpu")

    {moves}

    def forward(self, x):
        return x * self.weight * self.limit + torch.ones(5, device=self.place)
"""
)
LIMIT = fact("limit", name="")
TO = """\
def to(self, *args, **kwargs):
        \"\"\"Move the limit, too.\"\"\"
        self.limit = self.limit.to(*args, **kwargs)
        return super().to(*args, **kwargs)"""
NEW = """\
def to(self, device):
        new = super().to(device)
        new.limit = new.limit.to(device)
        return new"""
CUDA = """\
def cuda(self, device=None):
        self = super().cuda(device)
        self.place = self.weight.device
        return self"""


def left_out(moves, at="def to"):
    source = NET.format(moves=moves)
    places = (RememberedDevice("self.place", 8, device="cpu"),)
    known = Structure((WEIGHT, LIMIT), ("weight",), devices=places)
    fix = ask(leave_to_module, source, "self.to", at, structure=known)
    return fix and edited(fix, source)


def test_what_a_move_does_by_hand_is_registered():
    registered = 'self.register_buffer("limit", torch.ones(5), persistent=False)'
    after = NET.format(moves="").replace("self.limit = torch.ones(5)", registered)

    assert left_out(TO) == after
    assert left_out(NEW) == after


def test_a_device_that_a_move_keeps_is_asked_for():
    after = NET.format(moves="").replace('self.place = torch.device("cpu")', "")

    assert left_out(CUDA, "def cuda") == after.replace(
        "device=self.place", "device=self.weight.device"
    )
    both = left_out(f"{TO}\n\n    {CUDA}")
    assert "self.place" not in both
    assert "def " not in both.partition("super().__init__()")[2].partition("def forward")[0]


@pytest.mark.parametrize(
    "more",
    [
        "        self.count(1)\n",
        "        self.other = 3\n",  # which no constructor assigns
        "        if args:\n            self.limit = args[0]\n",
        "        limit = self.limit\n",
    ],
)
def test_a_move_that_does_more_is_left_to_words(more):
    assert left_out(TO.replace("        return", f"{more}        return")) is None
    assert left_out(f"@torch.no_grad()\n    {TO}") is None
