"""A module stores its device in its own .to(); wrapped in another one it keeps the old device.

Thread: https://github.com/Lightning-AI/pytorch-lightning/issues/10624
"""

import torch
from torch import nn

CODE = "to-override"


class DeviceAwareSampler(nn.Module):
    def __init__(self, dim=6, latent=3):
        super().__init__()
        self._device = torch.device("cpu")
        self.latent = latent
        self.decode = nn.Linear(latent + dim, dim)

    def to(self, *args, **kwargs):
        super().to(*args, **kwargs)
        self._device = self.decode.weight.device
        return self

    def cuda(self, device=None):
        super().cuda(device)
        self._device = self.decode.weight.device
        return self

    def forward(self, context):
        noise = torch.randn(context.shape[0], self.latent, device=self._device)
        return self.decode(torch.cat([noise.to(context.dtype), context], dim=-1))


class DeviceAwareSamplerProperty(nn.Module):
    def __init__(self, dim=6, latent=3):
        super().__init__()
        self.latent = latent
        self.decode = nn.Linear(latent + dim, dim)

    @property
    def device(self):
        return self.decode.weight.device

    def forward(self, context):
        noise = torch.randn(context.shape[0], self.latent, device=self.device)
        return self.decode(torch.cat([noise.to(context.dtype), context], dim=-1))


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randn(4, 6),)


BUGGY = DeviceAwareSampler
FIXED = (DeviceAwareSamplerProperty,)
