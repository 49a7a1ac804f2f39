"""A checkpoint whose keys a new instance does not expect, or misses."""

import inspect

import pytest
import torch
from torch import nn

from grader.auditing.one_module import audit

INPUT = torch.randn(6, 4)


class Scaled(nn.Module):
    """Registers a buffer in its first call, in either mode."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, x):
        if not hasattr(self, "scale"):
            self.grow(x)
        return self.layer(x) * self.scale

    def grow(self, x):
        self.register_buffer("scale", torch.ones(4, device=x.device))


class Emptied(Scaled):
    """Declares it, and fills it later."""

    def __init__(self):
        super().__init__()
        self.register_buffer("scale", None)

    def forward(self, x):
        if self.scale is None:
            self.scale = torch.ones(4, device=x.device)
        return self.layer(x) * self.scale


class InEvalMode(Scaled):
    """Only a call in eval mode does, which training never makes."""

    def forward(self, x):
        return self.layer(x) if self.training else super().forward(x)


class Shares(Scaled):
    """What it registers is a tensor that it held."""

    def __init__(self):
        super().__init__()
        self.ones = nn.Buffer(torch.ones(4), persistent=False)

    def grow(self, x):
        self.register_buffer("scale", self.ones)


class NewChild(Scaled):
    """The buffers are those of a layer."""

    def grow(self, x):
        self.scale = nn.BatchNorm1d(4, affine=False).to(x.device)

    def forward(self, x):
        if not hasattr(self, "scale"):
            self.grow(x)
        return self.scale(self.layer(x))


class Consumed(Scaled):
    """Its first call takes a buffer away."""

    def __init__(self):
        super().__init__()
        self.register_buffer("start", torch.ones(4))

    def forward(self, x):
        if self.start is not None:
            self.start = None
        return self.layer(x)


class Nested(nn.Module):
    def __init__(self):
        super().__init__()
        self.parts = nn.ModuleList([nn.Linear(4, 4), Scaled()])

    def forward(self, x):
        return self.parts[1](self.parts[0](x))


@pytest.mark.parametrize(
    ("make", "where", "owner", "code"),
    [
        (Scaled, "self.scale", Scaled, 'self.register_buffer("scale", torch.ones(4'),
        (Emptied, "self.scale", Emptied, "self.scale = torch.ones(4, device=x.device)"),
        (InEvalMode, "self.scale", Scaled, 'self.register_buffer("scale", torch.ones(4'),
        (Shares, "self.scale", Shares, 'self.register_buffer("scale", self.ones)'),
        (NewChild, "self.scale", NewChild, "self.scale = nn.BatchNorm1d(4, affine=False)"),
        (Consumed, "self.start", Consumed, "self.start = None"),
        (Nested, "self.parts[1].scale", Scaled, 'self.register_buffer("scale", torch.ones(4'),
    ],
)
def test_a_key_for_which_loading_raises_is_an_error(make, where, owner, code):
    (found,) = audit(make, INPUT).findings

    assert (found.code, found.where, found.severity) == ("lost-from-checkpoint", where, "error")
    lines, first = inspect.getsourcelines(owner)
    assert code in lines[found.line - first]


class LoadsItself(Scaled):
    """Makes the buffer when a checkpoint has it."""

    def _load_from_state_dict(self, state, prefix, *args):
        if f"{prefix}scale" in state:
            self.register_buffer("scale", torch.empty_like(state[f"{prefix}scale"]))
        super()._load_from_state_dict(state, prefix, *args)


class Drops(Scaled):
    """Leaves what it has registered late out of the checkpoint."""

    def state_dict(self, *args, **kwargs):
        state = super().state_dict(*args, **kwargs)
        state.pop("scale", None)
        return state


class NotSaved(Scaled):
    def grow(self, x):
        self.register_buffer("scale", torch.ones(4, device=x.device), persistent=False)


class Frozen(Scaled):
    """Leaves a pretrained part out of its checkpoints, which are loaded with `strict=False`."""

    def __init__(self):
        super().__init__()
        self.register_buffer("scale", torch.ones(4))

    state_dict = Drops.state_dict


class Lenient(Scaled):
    """Loads what fits."""

    def load_state_dict(self, state, strict=True, assign=False):
        return super().load_state_dict(state, strict=False, assign=assign)


class Lazy(nn.Module):
    """PyTorch's own layers that learn their shapes late are loaded all the same."""

    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.LazyLinear(4), nn.LazyBatchNorm1d())

    def forward(self, x):
        return self.layers(x)


@pytest.mark.parametrize("make", [LoadsItself, Drops, NotSaved, Frozen, Lenient, Lazy])
def test_keys_that_loading_takes_are_right(make):
    assert audit(make, INPUT).findings == ()
