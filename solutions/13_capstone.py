"""One good answer to exercise 13: every tensor is registered, or made where the others are."""

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
        self.encoder = nn.ModuleList(nn.Linear(sizes[i], sizes[i + 1]) for i in range(depth))
        self.mean = nn.Linear(hidden, latent)
        self.spread = nn.Linear(hidden, latent)
        self.decoder = nn.Linear(latent, pixels)
        inside = torch.ones(pixels, dtype=torch.bool)
        inside[0] = inside[-1] = False  # the frame is no part of the image
        self.register_buffer("inside", inside, persistent=False)
        self.register_buffer("places", torch.arange(pixels), persistent=False)

    def to_device(self, batch: Any) -> Any:
        """Return the batch on the model's device."""
        if torch.is_tensor(batch):
            return batch.to(self.mean.weight.device)
        return tuple(self.to_device(part) for part in batch)

    def encode(self, images: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """The mean and the standard deviation of each image's numbers."""
        hidden = images + self.brightness(self.places).squeeze(1)
        for layer in self.encoder:
            hidden = torch.relu(layer(hidden))
        return self.mean(hidden), softplus(self.spread(hidden))

    def forward(self, batch: tuple[torch.Tensor, torch.Tensor]) -> tuple[torch.Tensor, ...]:
        """Take (images, visible); return them drawn again, the mean and the deviation."""
        images, visible = self.to_device(batch)
        mean, std = self.encode(images * self.inside * visible)
        noise = torch.randn_like(std)
        return self.decoder(mean + std * noise), mean, std
