"""A call on CUDA that works on the CPU and brings its result back: right, and slow."""

import pytest
import torch
from torch import nn
from torch.func import functional_call

from grader.auditing.one_module import audit


class Head(nn.Module):
    def __init__(self, features=6, words=9):
        super().__init__()
        self.norm = nn.LayerNorm(features)
        self.words = nn.Linear(features, words)

    def forward(self, hidden):
        return self.words(self.norm(hidden))


class OffloadedHead(Head):
    """Its last layer was too large for its author's GPU."""

    def forward(self, hidden):
        normed = self.norm(hidden)
        weights = {name: weight.cpu() for name, weight in self.words.named_parameters()}
        return functional_call(self.words, weights, (normed.cpu(),)).to(hidden.device)


class ByPlainLoops(Head):
    """Whoever wrote it had SciPy in mind, and put the whole of it on the CPU."""

    def forward(self, hidden):
        there, here = hidden.device, hidden.cpu()
        centred = here - here.mean(dim=-1, keepdim=True)
        return (centred / here.std(dim=-1, keepdim=True)).to(there)


class WithCounts(Head):
    """A count that a log shows is no work of the model's."""

    def forward(self, hidden):
        self.seen = float(hidden.detach().abs().mean().cpu())
        return super().forward(hidden)


class WithLengths(Head):
    """`pack_padded_sequence` wants lengths on the CPU, and an index table may be made there."""

    def forward(self, hidden):
        lengths = (hidden > 0).sum(dim=-1).cpu().clamp(min=1)
        weights = (1 / lengths).to(hidden.device, hidden.dtype)
        return self.words(self.norm(hidden)) * weights.unsqueeze(-1)


def found(cls):
    return [(f.code, f.severity, f.where) for f in audit(cls(), (torch.randn(3, 6),)).findings]


@pytest.mark.parametrize("cls", [OffloadedHead, ByPlainLoops])
def test_work_on_the_cpu_is_a_warning(cls):
    assert found(cls) == [("host-round-trip", "warning", "forward")]


@pytest.mark.parametrize("cls", [Head, WithCounts, WithLengths])
def test_what_is_little_beside_the_work_is_none(cls):
    assert found(cls) == []
