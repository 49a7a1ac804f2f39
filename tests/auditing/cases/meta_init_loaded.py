"""A loader builds on meta, and `to_empty` wipes a table that no checkpoint holds.

Thread: https://github.com/hiyouga/LlamaFactory/pull/10820
"""

import torch
from torch import nn

CODE = "meta-init"
WHERE = "self.slopes"
LINE_HAS = 'register_buffer("slopes"'


class BiasedAttention(nn.Module):
    def __init__(self, dim=8, heads=2):
        super().__init__()
        self.heads = heads
        self.mix = nn.Linear(dim, 2 * dim)
        self.register_buffer("slopes", 2.0 ** -torch.arange(1.0, heads + 1), persistent=False)

    def forward(self, x):
        key, value = self.mix(x).view(*x.shape[:2], self.heads, -1).transpose(1, 2).chunk(2, -1)
        steps = torch.arange(x.shape[1], device=x.device)
        bias = (steps[None] - steps[:, None]) * self.slopes[:, None, None]
        return (key @ key.mT + bias).softmax(-1) @ value


def loaded():
    state = BiasedAttention().state_dict()
    with torch.device("meta"):
        model = BiasedAttention()
    model.to_empty(device="cpu")
    model.load_state_dict(state)
    return model


def loaded_and_computed():
    model = loaded()
    model.slopes.copy_(2.0 ** -torch.arange(1.0, model.heads + 1))
    return model


def loaded_without_meta():
    state = BiasedAttention().state_dict()
    model = BiasedAttention()
    model.load_state_dict(state)
    return model


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randn(2, 5, 8),)


BUGGY = loaded
FIXED = (loaded_and_computed, loaded_without_meta)
