"""Inputs are taken by keyword alone, and one of them is optional."""

import torch
from torch import nn


class MaskedEncoder(nn.Module):
    def __init__(self, vocabulary=10, dim=6):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, dim)
        self.mix = nn.Linear(dim, dim)

    def forward(self, *, input_ids, attention_mask=None):
        h = self.mix(self.embed(input_ids)).relu()
        if attention_mask is not None:
            h = h * attention_mask.unsqueeze(-1)
        return h.mean(dim=1)


def example_input() -> dict[str, torch.Tensor]:
    return {
        "input_ids": torch.randint(0, 10, (4, 5)),
        "attention_mask": torch.randint(0, 2, (4, 5)),
    }


CLEAN = MaskedEncoder
