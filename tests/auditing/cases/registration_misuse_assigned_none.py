"""register_buffer returns None, and assigning its result replaces the buffer by None.

Thread: https://github.com/chemprop/chemprop/pull/766
"""

import torch
from torch import nn

CODE = "registration-misuse"
WHERE = "self.task_weights"
LINE_HAS = "self.task_weights = self.register_buffer("


class MultiTaskRegressor(nn.Module):
    def __init__(self, dim=6, tasks=3):
        super().__init__()
        self.predict = nn.Linear(dim, tasks)
        self.task_weights = self.register_buffer("task_weights", torch.arange(1.0, tasks + 1))

    def forward(self, x):
        y = self.predict(x)
        return y if self.task_weights is None else y * self.task_weights


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randn(4, 6),)


BUGGY = MultiTaskRegressor
FIXED = (
    """\
-        self.task_weights = self.register_buffer("task_weights", torch.arange(1.0, tasks + 1))
+        self.register_buffer("task_weights", torch.arange(1.0, tasks + 1))

-        y = self.predict(x)
-        return y if self.task_weights is None else y * self.task_weights
+        return self.predict(x) * self.task_weights
""",
    """\
-        self.task_weights = self.register_buffer("task_weights", torch.arange(1.0, tasks + 1))
+        self.task_weights = nn.Buffer(torch.arange(1.0, tasks + 1))

-        y = self.predict(x)
-        return y if self.task_weights is None else y * self.task_weights
+        return self.predict(x) * self.task_weights
""",
)
