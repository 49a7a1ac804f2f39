"""Adagrad makes its state at once, so a model moved afterwards leaves the state behind.

Thread: https://github.com/pytorch/pytorch/issues/7321
"""

import torch
from torch import nn

CODE = "stale-optimizer"
WHERE = "self.optimizer"


class OnlineRegressor(nn.Module):
    """Learns from each batch that it is given while in training mode."""

    def __init__(self, dim=6):
        super().__init__()
        self.linear = nn.Linear(dim, 1)
        self.optimizer = torch.optim.Adagrad(self.linear.parameters(), lr=0.1)

    def learn(self, x, y):
        self.optimizer.zero_grad()
        with torch.enable_grad():
            loss = (self.linear(x).squeeze(-1) - y).pow(2).mean()
            loss.backward()
        self.optimizer.step()
        return loss.detach()

    def forward(self, x, y):
        return self.learn(x, y) if self.training else self.linear(x).squeeze(-1)


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randn(4, 6), torch.randn(4))


BUGGY = OnlineRegressor
FIXED = (
    """\
-        self.optimizer = torch.optim.Adagrad(self.linear.parameters(), lr=0.1)
+        self.optimizer = torch.optim.SGD(self.linear.parameters(), lr=0.1)
""",
)
