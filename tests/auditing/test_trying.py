"""A fix is printed as code only if an audit of the changed source has nothing against it."""

import linecache

import pytest
import torch
from torch import nn

from grader.auditing.one_module import audit
from grader.probe.changes import CannotTryError, changed


class Held(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)
        self.mean = torch.ones(3)

    def forward(self, x):
        return self.fc(x) - self.mean


class Twins(nn.Module):
    """A `ModuleList` has no `copy`."""

    def __init__(self):
        super().__init__()
        self.layers = [nn.Linear(3, 3), nn.Linear(3, 3)]

    def forward(self, x):
        return self.layers.copy()[0](x)


class Bound(Twins):
    """What is in words does not keep what works from being printed as code."""

    def __init__(self):
        super().__init__()
        self.mean = torch.ones(3)

    def forward(self, x):
        return super().forward(x) - self.mean


def found(make):
    return {finding.where: finding for finding in audit(make, torch.randn(2, 3)).findings}


def test_what_works_is_called_tried():
    fix = found(Held)["self.mean"].fix

    assert '(tried): `self.register_buffer("mean", torch.ones(3), persistent=False)`' in fix


def test_what_does_not_work_is_in_words():
    told = found(Bound)

    assert not told["self.layers"].edits
    assert "(tried)" not in told["self.layers"].fix
    assert told["self.mean"].edits


def test_a_constructor_is_not_tried_of_what_is_there_already():
    assert not found(Held())["self.mean"].edits


def test_code_is_exchanged_in_the_block_alone():
    text = "".join(linecache.getlines(__file__))
    held = Held()

    with changed({__file__: text.replace("self.fc(x) - self.mean", "x")}):
        assert held(torch.ones(3)).tolist() == [1, 1, 1]
        assert "        return x\n" in linecache.getlines(__file__)

    assert held(torch.ones(3)).grad_fn
    assert "".join(linecache.getlines(__file__)) == text


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "class Twins(nn.Module):\n",
            "class Twins(nn.Module):\n    def added(self):\n        pass\n\n",
        ),
        ("return self.fc(x) - self.mean", "return super().forward(x)"),
        ("class Twins(nn.Module):", "class Twins(nn.Module)"),
    ],
)
def test_what_cannot_be_exchanged_is_refused(before, after):
    text = "".join(linecache.getlines(__file__))

    with pytest.raises(CannotTryError), changed({__file__: text.replace(before, after, 1)}):
        pass
    assert Held().fc is not None
