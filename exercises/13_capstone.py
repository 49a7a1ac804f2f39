"""Exercise 13: a VAE with everything wrong.

`PatchVAE` learns to draw small images again from a few numbers. It takes a batch as the loader
returns it, on the CPU: the images, and which of their pixels can be seen. It moves the batch to the
model. On the CPU it trains. On CUDA five things go wrong, and PyTorch stops at the first.

Your task: find all five, and fix them. What is computed stays the same, the Parameters keep their
names (`encoder.0.weight` and so on for the layers in the list), and the checkpoint holds the
Parameters and nothing else: what the constructor can make again is not saved.

Check it with:  grader check 13
"""

from typing import Any

import torch
from torch import nn
from torch.nn.functional import softplus


class PatchVAE(nn.Module):
    """A variational autoencoder for small images with hidden pixels."""

    def __init__(self, pixels: int, hidden: int, latent: int, depth: int) -> None:
        super().__init__()
        sizes = [pixels] + [hidden] * depth
        self.brightness = nn.Embedding(pixels, 1)
        self.encoder = [nn.Linear(sizes[i], sizes[i + 1]) for i in range(depth)]
        self.mean = nn.Linear(hidden, latent)
        self.spread = nn.Linear(hidden, latent)
        self.decoder = nn.Linear(latent, pixels)
        self.inside = torch.ones(pixels, dtype=torch.bool)
        self.inside[0] = self.inside[-1] = False  # the frame is no part of the image
        self.places: torch.Tensor | None = None

    def to_device(self, batch: Any) -> Any:
        """Return the batch on the model's device."""
        return batch.to(self.mean.weight.device) if torch.is_tensor(batch) else batch

    def encode(self, images: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """The mean and the standard deviation of each image's numbers."""
        if self.places is None:
            self.places = torch.arange(images.shape[1], device=images.device)
        hidden = images + self.brightness(self.places).squeeze(1)
        for layer in self.encoder:
            hidden = torch.relu(layer(hidden))
        return self.mean(hidden), softplus(self.spread(hidden))

    def forward(self, batch: tuple[torch.Tensor, torch.Tensor]) -> tuple[torch.Tensor, ...]:
        """Take (images, visible); return them drawn again, the mean and the deviation."""
        images, visible = self.to_device(batch)
        mean, std = self.encode(images * self.inside * visible)
        noise = torch.randn(std.shape)
        return self.decoder(mean + std * noise), mean, std
