"""A submodule is assigned before the constructor of nn.Module has run.

Thread: https://github.com/pyg-team/pytorch_geometric/issues/681
"""

import torch
from torch import nn

CODE = "registration-misuse"
LINE_HAS = "self.discriminator = nn.Linear("


class AdversarialAutoencoder(nn.Module):
    def __init__(self, dim=6, latent=3):
        self.discriminator = nn.Linear(latent, 1)
        super().__init__()
        self.encoder = nn.Linear(dim, latent)

    def forward(self, x):
        return self.discriminator(self.encoder(x)).sigmoid()


class AdversarialAutoencoderInitFirst(nn.Module):
    def __init__(self, dim=6, latent=3):
        super().__init__()
        self.discriminator = nn.Linear(latent, 1)
        self.encoder = nn.Linear(dim, latent)

    def forward(self, x):
        return self.discriminator(self.encoder(x)).sigmoid()


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randn(4, 6),)


BUGGY = AdversarialAutoencoder
FIXED = (AdversarialAutoencoderInitFirst,)
