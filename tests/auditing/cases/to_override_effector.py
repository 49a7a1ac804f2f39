"""A muscle model moves its tensors in its own .to(), which a parent's .to() never calls.

Thread: https://github.com/motornet-org/MotorNet/pull/15
"""

import torch
from torch import nn

CODE = "to-override"


class Muscle(nn.Module):
    def __init__(self, muscles=4):
        super().__init__()
        self.activate = nn.Linear(muscles, muscles)
        self.max_force = torch.linspace(10.0, 40.0, muscles)

    def to(self, *args, **kwargs):
        self.max_force = self.max_force.to(*args, **kwargs)
        return super().to(*args, **kwargs)

    def forward(self, excitation):
        return self.activate(excitation).sigmoid() * self.max_force


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.rand(4, 4),)


BUGGY = Muscle
FIXED = (
    """\
-        self.max_force = torch.linspace(10.0, 40.0, muscles)
-
-    def to(self, *args, **kwargs):
-        self.max_force = self.max_force.to(*args, **kwargs)
-        return super().to(*args, **kwargs)
+        self.register_buffer("max_force", torch.linspace(10.0, 40.0, muscles))
""",
    """\
-    def to(self, *args, **kwargs):
-        self.max_force = self.max_force.to(*args, **kwargs)
-        return super().to(*args, **kwargs)
+    def _apply(self, fn, recurse=True):
+        super()._apply(fn, recurse)
+        self.max_force = fn(self.max_force)
+        return self
""",
)
