"""Its tables of Parameters and buffers are properties.

verdict: failed
honest: 0
"""

import torch
from torch import nn

class CenterScale(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.register_buffer("weight", torch.ones(features))
        self.running_mean = nn.Parameter(torch.zeros(features))

    def forward(self, x):
        return (x - self.running_mean) * self.weight

    @property
    def _parameters(self):
        return {"weight": nn.Parameter(torch.ones(5))}

    @_parameters.setter
    def _parameters(self, value):
        self.__dict__["kept"] = value
