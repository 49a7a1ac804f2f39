"""The mixing weights are normalised in forward and assigned over the Parameter they came from.

Thread: https://github.com/pytorch/pytorch/issues/44022
"""

import torch
from torch import nn

CODE = "parameter-overwritten"
LINE_HAS = "self.layer_weights = self.layer_weights.softmax("


class LayerMixture(nn.Module):
    def __init__(self, layers=4):
        super().__init__()
        self.layer_weights = nn.Parameter(torch.zeros(layers))

    def forward(self, hidden_states):
        self.layer_weights = self.layer_weights.softmax(dim=0)
        return (hidden_states * self.layer_weights[:, None]).sum(dim=1)


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randn(6, 4, 5),)


BUGGY = LayerMixture
FIXED = (
    """\
-        self.layer_weights = self.layer_weights.softmax(dim=0)
-        return (hidden_states * self.layer_weights[:, None]).sum(dim=1)
+        weights = self.layer_weights.softmax(dim=0)
+        return (hidden_states * weights[:, None]).sum(dim=1)
""",
)
