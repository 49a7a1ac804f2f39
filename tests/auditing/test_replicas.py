"""What a replica on another GPU shares with its module, and what it has copies of.

`nn.DataParallel` itself, on the simulated device, must agree with what the audit says.
"""

import pytest
import torch
from torch import nn

from grader import simulated_cuda
from grader.auditing.one_module import audit


class Layers(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(6, 6), nn.Linear(6, 6)

    def forward(self, x):
        return self.second(self.first(x))


class ListBeside(Layers):
    def __init__(self):
        super().__init__()
        self.order = [self.first, self.second]

    def forward(self, x):
        for layer in self.order:
            x = layer(x)
        return x


class BoundMethod(Layers):
    def __init__(self):
        super().__init__()
        self.way = super().forward

    def forward(self, x):
        return self.way(x)


class Gain(nn.Module):
    """Its Parameter is a number: one on the CPU may meet tensors on CUDA, one on CUDA no others."""

    def __init__(self):
        super().__init__()
        self.gain = nn.Parameter(torch.tensor(2.0))
        self.way = self.amplify

    def amplify(self, x):
        return self.gain * x

    def forward(self, x):
        return self.way(x)


class Lambda(Layers):
    def __init__(self):
        super().__init__()
        self.way = lambda x: self.second(self.first(x))

    def forward(self, x):
        return self.way(x)


class Patched(Layers):
    def __init__(self):
        super().__init__()
        original = self.first.forward
        self.first.forward = lambda x: 2 * original(x)


class TakesAlong(Layers):
    """A plain tensor that every move takes along; replicas share that of the first GPU."""

    def __init__(self):
        super().__init__()
        self.scale = torch.full((6,), 2.0)

    def _apply(self, fn, recurse=True):
        super()._apply(fn, recurse)
        self.scale = fn(self.scale)
        return self

    def forward(self, x):
        return super().forward(x) * self.scale


class ModuleList(Layers):
    def __init__(self):
        super().__init__()
        self.order = nn.ModuleList([self.first, self.second])

    forward = ListBeside.forward


class ByName(Layers):
    def __init__(self):
        super().__init__()
        self.order = ["first", "second"]

    def forward(self, x):
        for name in self.order:
            x = getattr(self, name)(x)
        return x


class FreeLambda(Layers):
    """A lambda that knows nothing of the module."""

    def __init__(self):
        super().__init__()
        self.activation = lambda x: x.relu()

    def forward(self, x):
        return self.activation(super().forward(x))


class Setting(Layers):
    """A bound method that reads a number alone."""

    def __init__(self):
        super().__init__()
        self.factor, self.scaled = 3, self.times

    def times(self, x):
        return x * self.factor

    def forward(self, x):
        return self.scaled(super().forward(x))


class Buffered(TakesAlong):
    def __init__(self):
        Layers.__init__(self)
        self.register_buffer("scale", torch.full((6,), 2.0))

    _apply = nn.Module._apply


SHARING = [
    (ListBeside, "self.order"),
    (BoundMethod, "self.way"),
    (Gain, "self.way"),
    (Lambda, "self.way"),
    (Patched, "self.first"),
    (TakesAlong, "self.scale"),
]
COPIED = [Layers, ModuleList, ByName, FreeLambda, Setting, Buffered, lambda: nn.LSTM(6, 6)]


@pytest.mark.parametrize(("make", "where"), SHARING)
def test_what_leads_back_to_the_module_is_a_warning(make, where):
    (found,) = audit(make, torch.randn(4, 6), "simulated").findings

    assert (found.code, found.severity, found.where) == ("replica", "warning", where)
    assert "on its own GPU" in found.message


@pytest.mark.parametrize("make", COPIED)
def test_what_a_replica_copies_is_clean(make):
    assert audit(make, torch.randn(4, 6), "simulated").findings == ()


@pytest.mark.parametrize("make", [make for make, _ in SHARING])
def test_data_parallel_raises_too(make):
    with simulated_cuda(devices=2):
        parallel = nn.DataParallel(make().cuda(), device_ids=[0, 1])
        with pytest.raises(RuntimeError, match=r"replica 1 on device 1(.|\n)*same device"):
            parallel(torch.randn(4, 6, device="cuda"))


@pytest.mark.parametrize("make", COPIED[:-1])
def test_data_parallel_works_too(make):
    with simulated_cuda(devices=2):
        parallel = nn.DataParallel(make().cuda(), device_ids=[0, 1])
        assert parallel(torch.randn(4, 6, device="cuda")).device.index == 0
