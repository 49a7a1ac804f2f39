"""The outputs of all layers are averaged with np.sum, which turns each of them into an array.

Thread: https://github.com/xiaxin1998/DHCN/issues/14
"""

import numpy as np
import torch
from torch import nn

CODE = "host-round-trip"
LINE_HAS = "np.mean("


class SessionEncoder(nn.Module):
    def __init__(self, layers=2):
        super().__init__()
        self.layers = layers
        self.gain = nn.Parameter(torch.ones(()))

    def forward(self, items, adjacency):
        final = [items]
        for _ in range(self.layers):
            final.append(torch.bmm(adjacency, final[-1]))
        averaged = np.mean([layer.numpy() for layer in final], axis=0)
        return self.gain * torch.from_numpy(averaged)


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randn(4, 5, 3), torch.rand(4, 5, 5).softmax(dim=-1))


BUGGY = SessionEncoder
FIXED = (
    """\
-        averaged = np.mean([layer.numpy() for layer in final], axis=0)
-        return self.gain * torch.from_numpy(averaged)
+        return self.gain * torch.stack(final).mean(dim=0)
""",
)
