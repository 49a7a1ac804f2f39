"""Says that it saves a tensor that is a plain attribute.

verdict: failed
honest: 4
"""

import torch
from torch import nn

class CenterScale(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(features))
        self.running_mean = torch.zeros(features)

    def forward(self, x):
        return (x - self.running_mean) * self.weight

    def state_dict(self, *args, **kwargs):
        return {**super().state_dict(*args, **kwargs), "running_mean": self.running_mean}

    def load_state_dict(self, state, strict=True):
        self.running_mean = state.pop("running_mean")
        return super().load_state_dict(state, strict)
