"""Contrastive learning with a momentum encoder and a queue of keys, all of it registered."""

import copy

import torch
from torch import nn


class MomentumContrast(nn.Module):
    def __init__(self, dim=6, features=4, queue=16, momentum=0.9):
        super().__init__()
        self.momentum = momentum
        self.query_encoder = nn.Linear(dim, features)
        self.key_encoder = copy.deepcopy(self.query_encoder).requires_grad_(False)
        self.register_buffer("queue", nn.functional.normalize(torch.randn(queue, features)))
        self.register_buffer("pointer", torch.zeros((), dtype=torch.long))

    @torch.no_grad()
    def update(self, x):
        pairs = zip(self.key_encoder.parameters(), self.query_encoder.parameters(), strict=True)
        for key, query in pairs:
            key.lerp_(query, 1 - self.momentum)
        keys = nn.functional.normalize(self.key_encoder(x), dim=-1)
        slots = (self.pointer + torch.arange(len(keys), device=x.device)) % len(self.queue)
        self.queue[slots] = keys
        self.pointer.add_(len(keys)).remainder_(len(self.queue))

    def forward(self, x):
        query = nn.functional.normalize(self.query_encoder(x), dim=-1)
        logits = query @ self.queue.clone().t()
        if self.training:
            self.update(x)
        return logits


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randn(4, 6),)


CLEAN = MomentumContrast
