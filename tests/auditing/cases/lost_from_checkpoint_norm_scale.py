"""The scaling factor estimated at the start of training is a Python float, not in the checkpoint.

Thread: https://github.com/decoderesearch/SAELens/pull/395
"""

import torch
from torch import nn

CODE = "lost-from-checkpoint"
WHERE = "self.scale"


class SparseAutoencoder(nn.Module):
    def __init__(self, dim=6, features=10):
        super().__init__()
        self.encode = nn.Linear(dim, features)
        self.decode = nn.Linear(features, dim)
        self.scale = 1.0

    def forward(self, activations):
        if self.training:
            norm = activations.norm(dim=-1).mean().item()
            self.scale = 0.5 * self.scale + 0.5 * activations.shape[-1] ** 0.5 / norm
        return self.decode(self.encode(activations * self.scale).relu()) / self.scale


def example_input() -> tuple[torch.Tensor, ...]:
    return (3 * torch.randn(8, 6),)


BUGGY = SparseAutoencoder
FIXED = (
    """\
-        self.scale = 1.0
+        self.register_buffer("scale", torch.ones(()))

-            norm = activations.norm(dim=-1).mean().item()
-            self.scale = 0.5 * self.scale + 0.5 * activations.shape[-1] ** 0.5 / norm
-        return self.decode(self.encode(activations * self.scale).relu()) / self.scale
+            norm = activations.detach().norm(dim=-1).mean()
+            self.scale.lerp_(activations.shape[-1] ** 0.5 / norm, 0.5)
+        scale = self.scale.clone()
+        return self.decode(self.encode(activations * scale).relu()) / scale
""",
    """\
-
+
+    def get_extra_state(self):
+        return {"scale": self.scale}
+
+    def set_extra_state(self, state):
+        self.scale = state["scale"]
+
     def forward(self, activations):
""",
)
