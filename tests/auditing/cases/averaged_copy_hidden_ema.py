"""The EMA model is hidden from registration, to keep it out of training, and is never moved.

Thread: https://github.com/OpenRLHF/OpenRLHF/issues/245
"""

import copy

import torch
from torch import nn

CODE = "averaged-copy"


class ActorWithEma(nn.Module):
    def __init__(self, dim=6, actions=3, beta=0.9):
        super().__init__()
        self.actor = nn.Sequential(nn.Linear(dim, 8), nn.Tanh(), nn.Linear(8, actions))
        self.beta = beta
        object.__setattr__(self, "ema_model", copy.deepcopy(self.actor).requires_grad_(False))

    @torch.no_grad()
    def moving_average(self):
        pairs = zip(self.ema_model.parameters(), self.actor.parameters(), strict=True)
        for mean, parameter in pairs:
            mean.mul_(self.beta).add_(parameter, alpha=1 - self.beta)

    def forward(self, x):
        if self.training:
            self.moving_average()
        return self.actor(x).log_softmax(dim=-1), self.ema_model(x).log_softmax(dim=-1)


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randn(4, 6),)


BUGGY = ActorWithEma
FIXED = (
    """\
-        object.__setattr__(self, "ema_model", copy.deepcopy(self.actor).requires_grad_(False))
+        self.ema_model = copy.deepcopy(self.actor).requires_grad_(False)
""",
)
