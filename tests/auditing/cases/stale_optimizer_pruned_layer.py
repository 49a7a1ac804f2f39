"""Pruning replaces a layer by a smaller one; the optimizer goes on with the layer that is gone.

Thread: https://github.com/microsoft/nni/issues/4521
"""

import torch
from torch import nn

CODE = "stale-optimizer"


def smaller(layer, keep):
    pruned = nn.Linear(layer.in_features, keep)
    strongest = layer.weight.detach().abs().sum(dim=1).topk(keep).indices
    with torch.no_grad():
        pruned.weight.copy_(layer.weight[strongest])
        pruned.bias.copy_(layer.bias[strongest])
    return pruned


class PrunedNet(nn.Module):
    def __init__(self, dim=6, hidden=8, keep=4):
        super().__init__()
        self.hidden = nn.Linear(dim, hidden)
        self.gate = nn.Parameter(torch.ones(keep))
        self.optimizer = torch.optim.SGD(self.parameters(), lr=0.05, momentum=0.9)
        self.hidden = smaller(self.hidden, keep)

    def forward(self, x):
        return self.hidden(x).relu() * self.gate


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randn(4, 6),)


BUGGY = PrunedNet
FIXED = (
    """\
-        self.hidden = nn.Linear(dim, hidden)
+        self.hidden = smaller(nn.Linear(dim, hidden), keep)

-        self.hidden = smaller(self.hidden, keep)
""",
)
