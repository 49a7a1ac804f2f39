"""Blocks run under activation checkpointing, so that forward is called a second time."""

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint


class CheckpointedStack(nn.Module):
    def __init__(self, dim=6, depth=2):
        super().__init__()
        self.blocks = nn.ModuleList(
            nn.Sequential(nn.LayerNorm(dim), nn.Linear(dim, dim), nn.GELU()) for _ in range(depth)
        )

    def forward(self, x):
        for block in self.blocks:
            x = x + checkpoint(block, x, use_reentrant=False)
        return x


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randn(4, 6),)


CLEAN = CheckpointedStack
