"""Has a property for its device, and hooks.

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
        self.register_forward_hook(lambda module, inputs, output: None)
        self.register_load_state_dict_post_hook(lambda module, keys: None)

    @property
    def device(self):
        return self.weight.device

    def extra_repr(self):
        return f"device={self.device}"

    def forward(self, x):
        return (x.to(self.device) - self.running_mean) * self.weight
