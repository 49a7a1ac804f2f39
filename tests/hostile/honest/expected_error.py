"""A learner tries the module out in the file, as the notebooks do where code may raise.

verdict: passed
honest: 6
"""

import torch
from torch import nn

from grader import expected_error


class CenterScale(nn.Module):
    def __init__(self, features: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(features))
        self.register_buffer("running_mean", torch.zeros(features))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return (x - self.running_mean) * self.weight


with expected_error():
    CenterScale(3)(torch.ones(2, 4))
