"""Rotary frequencies in a non-persistent buffer: garbage once the model was built on meta.

Thread: https://github.com/huggingface/transformers/issues/34234
"""

import torch
from torch import nn

CODE = "meta-init"
SEVERITY = "warning"
WHERE = "self.rotary.inv_freq"
LINE_HAS = 'register_buffer("inv_freq"'


def frequencies(dim, device=None):
    return 1.0 / 10_000 ** (torch.arange(0, dim, 2, device=device).float() / dim)


class Rotary(nn.Module):
    def __init__(self, dim, device=None):
        super().__init__()
        inv_freq = frequencies(dim, device)
        self.register_buffer("inv_freq", inv_freq, persistent=False)

    def forward(self, x):
        steps = torch.arange(x.shape[1], device=x.device)
        return torch.outer(steps, self.inv_freq).repeat(1, 2).cos()


class Attention(nn.Module):
    rotary_class = Rotary

    def __init__(self, dim=8, device=None):
        super().__init__()
        self.rotary = self.rotary_class(dim, device)
        self.query = nn.Linear(dim, dim, device=device)
        self.value = nn.Linear(dim, dim, device=device)

    def forward(self, x):
        query = self.query(x) * self.rotary(x)
        return (query @ query.transpose(1, 2)).softmax(-1) @ self.value(x)


class ResetRotary(Rotary):
    """Computes them again whenever it is reset, as FSDP does after `to_empty`."""

    def __init__(self, dim, device=None):
        super().__init__(dim, device)
        self.reset_parameters()

    def reset_parameters(self):
        self.inv_freq.copy_(frequencies(2 * len(self.inv_freq), self.inv_freq.device))


class AttentionReset(Attention):
    rotary_class = ResetRotary


class SavedRotary(Rotary):
    def __init__(self, dim, device=None):
        nn.Module.__init__(self)
        self.register_buffer("inv_freq", frequencies(dim, device))


class AttentionSaved(Attention):
    rotary_class = SavedRotary


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randn(2, 5, 8),)


BUGGY = Attention
FIXED = (AttentionReset, AttentionSaved)
