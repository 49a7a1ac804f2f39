"""eval() gathers the attention biases into a plain tensor, and a later move does not reach it.

Thread: https://github.com/ChaoningZhang/MobileSAM/pull/47
"""

import torch
from torch import nn

CODE = "stale-device"
WHERE = "self.ab"


def offsets(size):
    position = torch.arange(size)
    return (position[:, None] - position[None, :]).abs()


class TinyViTAttention(nn.Module):
    def __init__(self, dim=6, size=5):
        super().__init__()
        self.qkv = nn.Linear(dim, 3 * dim)
        self.attention_biases = nn.Parameter(torch.randn(size) * 0.1)
        self.register_buffer("attention_bias_idxs", offsets(size), persistent=False)

    @torch.no_grad()
    def train(self, mode=True):
        super().train(mode)
        if mode and hasattr(self, "ab"):
            del self.ab
        elif not mode:
            self.ab = self.attention_biases[self.attention_bias_idxs]
        return self

    def forward(self, x):
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        bias = self.attention_biases[self.attention_bias_idxs] if self.training else self.ab
        return (q @ k.transpose(1, 2) + bias).softmax(dim=-1) @ v


class TinyViTAttentionGathered(nn.Module):
    def __init__(self, dim=6, size=5):
        super().__init__()
        self.qkv = nn.Linear(dim, 3 * dim)
        self.attention_biases = nn.Parameter(torch.randn(size) * 0.1)
        self.register_buffer("attention_bias_idxs", offsets(size), persistent=False)

    def forward(self, x):
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        bias = self.attention_biases[self.attention_bias_idxs]
        return (q @ k.transpose(1, 2) + bias).softmax(dim=-1) @ v


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randn(4, 5, 6),)


BUGGY = TinyViTAttention
FIXED = (TinyViTAttentionGathered,)
