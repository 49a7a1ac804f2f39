"""Pretrained vectors stay on the module after they were copied; forward never reads them."""

import torch
from torch import nn


class PretrainedEmbedding(nn.Module):
    def __init__(self, vocabulary=10, dim=4):
        super().__init__()
        self.pretrained = torch.linspace(-1, 1, vocabulary * dim).view(vocabulary, dim)
        self.embed = nn.Embedding(vocabulary, dim)
        self.reset_parameters()

    @torch.no_grad()
    def reset_parameters(self):
        self.embed.weight.copy_(self.pretrained)

    def forward(self, ids):
        return self.embed(ids)


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randint(0, 10, (4, 5)),)


CLEAN = PretrainedEmbedding
