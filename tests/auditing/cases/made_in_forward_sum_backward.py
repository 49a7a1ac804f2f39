"""The backward of a private sum multiplies the gradient by ones on the CPU.

Thread: https://github.com/facebookresearch/CrypTen/issues/426
"""

import torch
from torch import nn

CODE = "made-in-forward"
LINE_HAS = "torch.ones(ctx.input_size)"


class PrivateSum(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.input_size = x.size()
        return x.sum(dim=-1, keepdim=True)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output.mul(torch.ones(ctx.input_size))


class PrivateSumThere(PrivateSum):
    @staticmethod
    def backward(ctx, grad_output):
        return grad_output.mul(torch.ones(ctx.input_size, device=grad_output.device))


class Scores(nn.Module):
    function = PrivateSum

    def __init__(self, dim=6):
        super().__init__()
        self.linear = nn.Linear(dim, dim)

    def forward(self, x):
        return self.function.apply(self.linear(x))


class ScoresThere(Scores):
    function = PrivateSumThere


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randn(4, 6),)


BUGGY = Scores
FIXED = (ScoresThere,)
