"""A NumPy function is called on a tensor of the model, and NumPy cannot read GPU memory.

Thread: https://github.com/xiaxin1998/DHCN/issues/14
"""

import numpy as np
import torch
from torch import nn

CODE = "host-round-trip"
LINE_HAS = "np.sqrt("


class ScaledAttention(nn.Module):
    def __init__(self, dim=8):
        super().__init__()
        self.query = nn.Linear(dim, dim)
        self.key = nn.Linear(dim, dim)

    def forward(self, x, lengths):
        scores = self.query(x) @ self.key(x).transpose(1, 2)
        scale = torch.as_tensor(np.sqrt(lengths), dtype=scores.dtype)
        return (scores / scale[:, None, None]).softmax(dim=-1) @ x


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randn(4, 5, 8), torch.randint(1, 6, (4,)))


BUGGY = ScaledAttention
FIXED = (
    """\
-        scale = torch.as_tensor(np.sqrt(lengths), dtype=scores.dtype)
+        scale = lengths.to(scores.dtype).sqrt()
""",
)
