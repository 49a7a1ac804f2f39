"""A recurrent cell starts from torch.zeros without a device when no state is given.

Thread: https://github.com/benedekrozemberczki/pytorch_geometric_temporal/issues/18
"""

import torch
from torch import nn

CODE = "made-in-forward"
LINE_HAS = "torch.zeros("


class TrafficGRU(nn.Module):
    def __init__(self, inputs=3, hidden=5):
        super().__init__()
        self.hidden = hidden
        self.gru = nn.GRU(inputs, hidden, batch_first=True)
        self.out = nn.Linear(hidden, 1)

    def forward(self, x, state=None):
        if state is None:
            state = torch.zeros(1, x.shape[0], self.hidden)
        sequence, state = self.gru(x, state)
        return self.out(sequence), state


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randn(4, 6, 3),)


BUGGY = TrafficGRU
FIXED = (
    """\
-            state = torch.zeros(1, x.shape[0], self.hidden)
+            state = x.new_zeros(1, x.shape[0], self.hidden)
""",
    # Lets nn.GRU make its own first state.
    """\
-        self.hidden = hidden

-        if state is None:
-            state = torch.zeros(1, x.shape[0], self.hidden)
""",
)
