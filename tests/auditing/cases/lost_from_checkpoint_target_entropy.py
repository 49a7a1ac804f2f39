"""The target entropy of a policy's loss becomes a buffer when it is first asked for.

Thread: https://github.com/pytorch/rl/issues/1594
"""

import torch
from torch import nn

CODE = "lost-from-checkpoint"
WHERE = "self.target_entropy_buffer"
LINE_HAS = "self.register_buffer("


class EntropyLoss(nn.Module):
    def __init__(self, actions=3):
        super().__init__()
        self.actor = nn.Linear(6, actions)
        self.log_alpha = nn.Parameter(torch.zeros(()))

    @property
    def target_entropy(self):
        if not hasattr(self, "target_entropy_buffer"):
            entropy = -float(self.actor.out_features)
            self.register_buffer(
                "target_entropy_buffer", torch.tensor(entropy, device=self.log_alpha.device)
            )
        return self.target_entropy_buffer

    def forward(self, x):
        log_prob = self.actor(x).log_softmax(dim=-1)
        return self.log_alpha.exp() * (log_prob + self.target_entropy)


class EntropyLossAtOnce(nn.Module):
    def __init__(self, actions=3):
        super().__init__()
        self.actor = nn.Linear(6, actions)
        self.log_alpha = nn.Parameter(torch.zeros(()))
        self.register_buffer("target_entropy", torch.tensor(-float(actions)))

    def forward(self, x):
        log_prob = self.actor(x).log_softmax(dim=-1)
        return self.log_alpha.exp() * (log_prob + self.target_entropy)


class EntropyLossNotSaved(EntropyLoss):
    @property
    def target_entropy(self):
        if not hasattr(self, "target_entropy_buffer"):
            entropy = torch.tensor(-float(self.actor.out_features), device=self.log_alpha.device)
            self.register_buffer("target_entropy_buffer", entropy, persistent=False)
        return self.target_entropy_buffer


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randn(4, 6),)


BUGGY = EntropyLoss
FIXED = (EntropyLossAtOnce, EntropyLossNotSaved)
