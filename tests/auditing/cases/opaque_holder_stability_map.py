"""A lambda has caught a tensor at construction, and no move can reach into its closure.

Thread: https://github.com/gdalsanto/flamo/pull/30
"""

import torch
from torch import nn

CODE = "opaque-holder"
WHERE = "self.map.highest"


class LearnedFilter(nn.Module):
    def __init__(self, sections=4, limit=0.99):
        super().__init__()
        self.poles = nn.Parameter(torch.randn(sections))
        highest = torch.linspace(limit / 2, limit, sections)
        self.map = lambda poles: torch.minimum(poles.sigmoid(), highest)

    def forward(self, x):
        return x * self.map(self.poles)


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randn(6, 4),)


BUGGY = LearnedFilter
FIXED = (
    """\
-        highest = torch.linspace(limit / 2, limit, sections)
-        self.map = lambda poles: torch.minimum(poles.sigmoid(), highest)
+        self.register_buffer("highest", torch.linspace(limit / 2, limit, sections))
+
+    def map(self, poles):
+        return torch.minimum(poles.sigmoid(), self.highest)
""",
)
