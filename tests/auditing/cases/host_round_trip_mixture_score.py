"""A score of a normal mixture uses NumPy for the normal distribution function.

Thread: https://github.com/frazane/scoringrules/issues/98
"""

import math

import numpy as np
import torch
from torch import nn

CODE = "host-round-trip"

_erf = np.vectorize(math.erf)


def normal_cdf(x):
    return torch.as_tensor(0.5 * (1 + _erf(np.asarray(x) / math.sqrt(2))), dtype=x.dtype)


class MixtureCalibration(nn.Module):
    def __init__(self, components=3):
        super().__init__()
        self.logits = nn.Parameter(torch.zeros(components))

    def forward(self, truth, mean, std):
        cdf = normal_cdf((truth.unsqueeze(-1) - mean) / std)
        return (self.logits.softmax(dim=-1) * cdf).sum(dim=-1)


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randn(4), torch.randn(4, 3), torch.rand(4, 3) + 0.5)


BUGGY = MixtureCalibration
FIXED = (
    """\
-        cdf = normal_cdf((truth.unsqueeze(-1) - mean) / std)
+        cdf = torch.special.ndtr((truth.unsqueeze(-1) - mean) / std)
""",
)
