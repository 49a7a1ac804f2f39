"""A low-rank adapter wraps a layer of a model that is on CUDA already, and is made on the CPU.

Thread: https://github.com/ViperEkura/AstrAI/pull/19
"""

import torch
from torch import nn

CODE = "device-ignored"
WHERE = "self[0].down"
LINE_HAS = "self.down = "


class LowRank(nn.Module):
    def __init__(self, base, rank=2):
        super().__init__()
        self.base = base.requires_grad_(False)
        self.down = nn.Parameter(torch.randn(rank, base.in_features))
        self.up = nn.Parameter(torch.zeros(base.out_features, rank))

    def forward(self, x):
        return self.base(x) + x @ self.down.T @ self.up.T


class LowRankThere(LowRank):
    def __init__(self, base, rank=2):
        super().__init__(base, rank)
        self.to(base.weight.device)


def classifier():
    return nn.Sequential(nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 3))


def adapted():
    model = classifier().cuda()
    model[0] = LowRank(model[0])
    return model


def adapted_first():
    model = classifier()
    model[0] = LowRank(model[0])
    return model.cuda()


def adapted_there():
    model = classifier().cuda()
    model[0] = LowRankThere(model[0])
    return model


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randn(4, 8),)


BUGGY = adapted
FIXED = (adapted_first, adapted_there)
