"""A search finds arguments that build a class, and with which it can be called."""

import sys
from types import ModuleType

import pytest
from torch import nn

from grader.auditing.survey.package.candidates import classes_in
from grader.auditing.survey.package.planning import searched_arguments

SOURCE = '''
import torch
from torch import nn


class Kernel(nn.Module):
    def forward(self, x):
        raise NotImplementedError


class Radial(Kernel):
    def forward(self, x):
        return torch.exp(-x)


class Process(nn.Module):
    """:param kernel: compares"""

    def __init__(self, kernel):
        super().__init__()
        self.kernel = kernel

    def forward(self, x):
        return self.kernel(x)


class Chain(nn.Module):
    def __init__(self, kernels):
        super().__init__()
        self.kernels = nn.ModuleList(kernels)

    def forward(self, x):
        for kernel in self.kernels:
            x = kernel(x)
        return x


class Adapter(nn.Module):
    def __init__(self, inner, adapter_name: str, rank: int = 0):
        super().__init__()
        if rank <= 0:
            raise ValueError(f"`rank` should be positive, but is {rank}")
        self.adapters = nn.ModuleDict({adapter_name: nn.Conv2d(inner.out_channels, rank, 1)})
        self.inner = inner

    def forward(self, x):
        return [layer(self.inner(x)) for layer in self.adapters.values()]


class Inherits(Adapter):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)


class Offset(nn.Module):
    """:param torch.Tensor start: is added"""

    def __init__(self, start):
        super().__init__()
        self.register_buffer("start", start.clone())

    def forward(self, x):
        return x + self.start


class Hopeless(nn.Module):
    def __init__(self, server):
        super().__init__()
        self.answer = server.connect().answer
'''


@pytest.fixture
def zoo(tmp_path, monkeypatch):
    """A package of one file."""
    (tmp_path / "zoo.py").write_text(SOURCE, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    yield __import__("zoo")
    del sys.modules["zoo"]
    classes_in.cache_clear()


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("Process", "kernel=__import__('zoo', fromlist=['_']).Radial()"),
        ("Chain", "kernels=[__import__('zoo', fromlist=['_']).Radial()]"),
        ("Adapter", "inner=torch.nn.Conv2d(8, 8, 3), adapter_name='default', rank=8"),
        ("Inherits", "inner=torch.nn.Conv2d(8, 8, 3), adapter_name='default', rank=8"),
        ("Offset", "start=torch.rand(8)"),
        ("Hopeless", None),
    ],
)
def test_what_a_search_finds(zoo: ModuleType, name, arguments):
    cls: type[nn.Module] = getattr(zoo, name)

    assert searched_arguments(cls) == arguments
