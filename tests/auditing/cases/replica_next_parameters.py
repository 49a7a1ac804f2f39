"""next(self.parameters()) raises StopIteration in a replica, which has no parameters of its own.

Thread: https://github.com/huggingface/transformers/issues/8145
"""

import torch
from torch import nn

CODE = "replica"
SEVERITY = "warning"
LINE_HAS = "next(self.parameters())"


class MemoryTransformer(nn.Module):
    def __init__(self, dim=8, memory=3):
        super().__init__()
        self.memory = memory
        self.project = nn.Linear(dim, dim)

    def init_memory(self, batch):
        parameter = next(self.parameters())
        return torch.zeros(batch, self.memory, parameter.shape[1], device=parameter.device)

    def forward(self, x):
        remembered = self.init_memory(x.shape[0]).to(x.dtype)
        return self.project(torch.cat([remembered, x], dim=1))


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randn(4, 5, 8),)


BUGGY = MemoryTransformer
FIXED = (
    """\
-    def init_memory(self, batch):
-        parameter = next(self.parameters())
-        return torch.zeros(batch, self.memory, parameter.shape[1], device=parameter.device)
-

-        remembered = self.init_memory(x.shape[0]).to(x.dtype)
+        remembered = x.new_zeros(x.shape[0], self.memory, x.shape[2])
""",
    """\
-    def init_memory(self, batch):
-        parameter = next(self.parameters())
-        return torch.zeros(batch, self.memory, parameter.shape[1], device=parameter.device)
-

-        remembered = self.init_memory(x.shape[0]).to(x.dtype)
+        weight = self.project.weight
+        remembered = weight.new_zeros(x.shape[0], self.memory, weight.shape[1])
""",
)
