"""A batch class moves some of its fields and forgets the edge list.

Thread: https://github.com/microsoft/mattersim/pull/147
"""

from typing import NamedTuple

import torch
from torch import nn

CODE = "input-transfer"


class GraphBatch(NamedTuple):
    nodes: torch.Tensor
    weights: torch.Tensor
    neighbours: torch.Tensor


class MessagePassing(nn.Module):
    def __init__(self, dim=5):
        super().__init__()
        self.message = nn.Linear(dim, dim)

    def batch_to(self, batch):
        device = self.message.weight.device
        return batch._replace(nodes=batch.nodes.to(device), weights=batch.weights.to(device))

    def forward(self, batch):
        batch = self.batch_to(batch)
        messages = self.message(batch.nodes) * batch.weights.unsqueeze(-1)
        where = batch.neighbours.unsqueeze(-1).expand_as(messages)
        return batch.nodes + messages.gather(1, where)


def example_input() -> tuple:
    nodes = torch.randn(4, 6, 5)
    return (GraphBatch(nodes, torch.rand(4, 6), torch.randint(0, 6, (4, 6))),)


BUGGY = MessagePassing
FIXED = (
    """\
-        return batch._replace(nodes=batch.nodes.to(device), weights=batch.weights.to(device))
+        return GraphBatch(*(field.to(device) for field in batch))
""",
)
