"""The same without a word to Python's audit.

verdict: not_defined
honest: 0
needs: full
"""

import torch
from torch import nn

import _socket

plain = _socket.socket(_socket.AF_INET, _socket.SOCK_STREAM)
plain.connect_ex(("127.0.0.1", PORT))


class CenterScale(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.register_buffer("weight", torch.ones(features))
        self.running_mean = nn.Parameter(torch.zeros(features))

    def forward(self, x):
        return (x - self.running_mean) * self.weight
