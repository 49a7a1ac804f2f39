"""Exercise 06: noise where the model is.

`VAE` compresses a batch into a few numbers, and rebuilds the batch from them. Between the two it
adds noise: a *variational autoencoder* draws its code from a normal distribution, as
`mean + std * noise`, with new noise in each call. On the CPU it works. After `.cuda()` it does not.

Your task: make it work on any device, wherever the model and the batch are: the CPU, the first GPU
or the second. `forward` returns the same three outputs as now.

Check it with:  grader check 06
"""

import torch
from torch import nn


class VAE(nn.Module):
    """A variational autoencoder for short vectors."""

    def __init__(self, features: int, hidden: int, latent: int) -> None:
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(features, hidden), nn.SiLU())
        self.mean = nn.Linear(hidden, latent)
        self.spread = nn.Linear(hidden, latent)
        self.decoder = nn.Sequential(
            nn.Linear(latent, hidden), nn.SiLU(), nn.Linear(hidden, features)
        )

    def sample(self, mean: torch.Tensor, std: torch.Tensor) -> torch.Tensor:
        """Draw from a normal distribution, so that gradients reach its mean and its deviation."""
        noise = torch.randn(std.shape)
        return mean + std * noise

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Take a batch (batch, features); return it rebuilt, and its code's mean and std."""
        hidden = self.encoder(x)
        mean, std = self.mean(hidden), nn.functional.softplus(self.spread(hidden))
        return self.decoder(self.sample(mean, std)), mean, std
