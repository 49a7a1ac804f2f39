"""Hidden branches are moved in each call, so nothing raises; they are never trained or saved.

Thread: https://github.com/NVIDIA-Merlin/Transformers4Rec/pull/113
"""

import torch
from torch import nn

CODE = "python-container"
WHERE = "self.to_merge"


class TabularModule(nn.Module):
    def __init__(self, continuous=5, categories=7, dim=4):
        super().__init__()
        self.to_merge = (nn.Linear(continuous, dim), nn.Embedding(categories, dim))
        self.head = nn.Linear(2 * dim, 1)

    def forward(self, numbers, category):
        linear, embedding = (branch.to(numbers.device) for branch in self.to_merge)
        return self.head(torch.cat([linear(numbers), embedding(category)], dim=-1))


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randn(4, 5), torch.randint(0, 7, (4,)))


BUGGY = TabularModule
FIXED = (
    """\
-        self.to_merge = (nn.Linear(continuous, dim), nn.Embedding(categories, dim))
+        self.to_merge = nn.ModuleList([nn.Linear(continuous, dim), nn.Embedding(categories, dim)])

-        linear, embedding = (branch.to(numbers.device) for branch in self.to_merge)
+        linear, embedding = self.to_merge
""",
)
