"""A guard against infinities asks NumPy instead of torch.

Thread: https://github.com/mozilla/TTS/pull/398
"""

import numpy as np
import torch
from torch import nn

CODE = "host-round-trip"
LINE_HAS = "np.isinf("


class GuardedScore(nn.Module):
    def __init__(self, dim=6):
        super().__init__()
        self.score = nn.Linear(dim, 1)

    def forward(self, x):
        scores = self.score(x).squeeze(-1)
        if np.isinf(scores.detach().numpy()).any():
            scores = scores.clamp(-1e4, 1e4)
        return scores


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randn(4, 6),)


BUGGY = GuardedScore
FIXED = (
    """\
-        if np.isinf(scores.detach().numpy()).any():
+        if torch.isinf(scores).any():
""",
    # Copies openly: right on every device, and slower.
    """\
-        if np.isinf(scores.detach().numpy()).any():
+        if np.isinf(scores.detach().cpu().numpy()).any():
""",
)
