import torch
from torch import nn


class KeyQueue(nn.Module):
    def __init__(self, width=6, length=12):
        super().__init__()
        self.encode = nn.Linear(width, width)
        self.register_buffer("queue", torch.randn(length, width))
        self.register_buffer("place", torch.zeros((), dtype=torch.long))

    @torch.no_grad()
    def push(self, keys):
        slots = self.place + torch.arange(len(keys), device=keys.device)
        self.queue[slots % len(self.queue)] = keys
        self.place.add_(len(keys))

    def forward(self, x):
        keys = nn.functional.normalize(self.encode(x), dim=-1)
        logits = keys @ self.queue.clone().t()
        if self.training:
            self.push(keys.detach())
        return logits


def example_input():
    return (torch.randn(4, 6),)
