"""A Parameter is scaled after wrapping: the product has a grad_fn and is not registered.

Thread: https://github.com/pytorch/pytorch/issues/9303
"""

import torch
from torch import nn

CODE = "moved-before-registration"
WHERE = "self.query"
LINE_HAS = "nn.Parameter(torch.randn(queries, dim)) *"


class AttentionPooling(nn.Module):
    def __init__(self, dim=8, queries=2):
        super().__init__()
        self.key = nn.Linear(dim, dim)
        self.query = nn.Parameter(torch.randn(queries, dim)) * dim**-0.5

    def forward(self, x):
        scores = self.query @ self.key(x).transpose(1, 2)
        return scores.softmax(dim=-1) @ x


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randn(4, 5, 8),)


BUGGY = AttentionPooling
FIXED = (
    """\
-        self.query = nn.Parameter(torch.randn(queries, dim)) * dim**-0.5
+        self.query = nn.Parameter(torch.randn(queries, dim) * dim**-0.5)
""",
)
