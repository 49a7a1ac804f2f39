"""A recurrent cell evolves a layer's weight, and stores it as a new Parameter in every call.

Thread: https://github.com/benedekrozemberczki/pytorch_geometric_temporal/issues/80
"""

import torch
from torch import nn

CODE = "parameter-overwritten"
WHERE = "self.conv.weight"
LINE_HAS = "self.conv.weight = nn.Parameter("


class EvolvingLayer(nn.Module):
    def __init__(self, dim=4):
        super().__init__()
        self.evolve = nn.GRUCell(dim, dim)
        self.conv = nn.Linear(dim, dim, bias=False)

    def forward(self, x):
        weight = self.evolve(self.conv.weight, self.conv.weight)
        self.conv.weight = nn.Parameter(weight)
        return self.conv(x)


class EvolvingLayerFunctional(nn.Module):
    """Starts from a Parameter in every call, and keeps what it makes of it out of the layer."""

    def __init__(self, dim=4):
        super().__init__()
        self.evolve = nn.GRUCell(dim, dim)
        self.initial_weight = nn.Parameter(torch.randn(dim, dim) * 0.1)

    def forward(self, x):
        weight = self.evolve(self.initial_weight, self.initial_weight)
        return nn.functional.linear(x, weight)


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randn(3, 4),)


BUGGY = EvolvingLayer
FIXED = (
    EvolvingLayerFunctional,
    # Evolves without gradients, in the one Parameter.
    """\
-        self.conv.weight = nn.Parameter(weight)
-        return self.conv(x)
+        if self.training:
+            with torch.no_grad():
+                self.conv.weight.lerp_(weight, 0.01)
+        return nn.functional.linear(x, weight.detach().clone() + self.conv.weight * 0)
""",
)
