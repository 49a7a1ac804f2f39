"""NumPy computes ranks; forward brings them back to the GPU of the input, backward does not.

Thread: https://github.com/google-research/fast-soft-sort/issues/17
"""

import torch
from torch import nn

CODE = "hard-coded-device"
LINE_HAS = "return torch.from_numpy(grad_output.cpu().numpy()"


class NumpyOpWrapper(torch.autograd.Function):
    @staticmethod
    def forward(ctx, values):
        ranks = values.detach().cpu().numpy().argsort().argsort()
        return torch.from_numpy(ranks).to(values)

    @staticmethod
    def backward(ctx, grad_output):
        return torch.from_numpy(grad_output.cpu().numpy().copy())


class NumpyOpWrapperThere(NumpyOpWrapper):
    @staticmethod
    def backward(ctx, grad_output):
        return torch.from_numpy(grad_output.cpu().numpy().copy()).to(grad_output)


class SoftRank(nn.Module):
    function = NumpyOpWrapper

    def __init__(self, dim=6):
        super().__init__()
        self.score = nn.Linear(dim, dim)

    def forward(self, x):
        return self.function.apply(self.score(x))


class SoftRankThere(SoftRank):
    function = NumpyOpWrapperThere


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randn(4, 6),)


BUGGY = SoftRank
FIXED = (SoftRankThere,)
