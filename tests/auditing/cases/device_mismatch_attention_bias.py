"""An attention bias is made on the CPU, and the attention library refuses it in words of its own.

Thread: https://github.com/vllm-project/vllm/pull/13468
"""

import torch
from torch import nn

CODE = "device-mismatch"
LINE_HAS = "raise ValueError("


def memory_efficient_attention(query, key, value, bias):
    """Checks the devices before any operator of PyTorch could, as xformers does."""
    if bias.device != query.device:
        raise ValueError("Attention bias and Query/Key/Value should be on the same device")
    return (query @ key.transpose(-2, -1) + bias).softmax(dim=-1) @ value


class BiasedAttention(nn.Module):
    def __init__(self, dim=6, heads=2):
        super().__init__()
        self.qkv = nn.Linear(dim, 3 * dim)
        self.slopes = [0.5**head for head in range(heads)]

    def forward(self, x):
        query, key, value = self.qkv(x).chunk(3, dim=-1)
        bias = torch.arange(x.shape[1]) * self.slopes[0]
        return memory_efficient_attention(query, key, value, bias)


class BiasedAttentionFromQuery(BiasedAttention):
    def forward(self, x):
        query, key, value = self.qkv(x).chunk(3, dim=-1)
        bias = torch.arange(x.shape[1], device=query.device) * self.slopes[0]
        return memory_efficient_attention(query, key, value, bias)


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randn(4, 5, 6),)


BUGGY = BiasedAttention
FIXED = (BiasedAttentionFromQuery,)
