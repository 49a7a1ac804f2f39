"""The reparameterisation of a VAE draws its noise on the CPU, wherever the model is.

Thread: https://github.com/bayesiains/nflows/issues/8
"""

import torch
from torch import nn

CODE = "made-in-forward"
LINE_HAS = "torch.randn("


class GaussianEncoder(nn.Module):
    def __init__(self, dim=8, latent=3):
        super().__init__()
        self.mean = nn.Linear(dim, latent)
        self.log_std = nn.Linear(dim, latent)

    def forward(self, x):
        mean, std = self.mean(x), self.log_std(x).exp()
        noise = torch.randn(mean.shape)
        return mean + std * noise


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randn(4, 8),)


BUGGY = GaussianEncoder
FIXED = (
    """\
-        noise = torch.randn(mean.shape)
-        return mean + std * noise
+        return mean + std * torch.randn_like(std)
""",
    """\
-        noise = torch.randn(mean.shape)
-        return mean + std * noise
+        return mean + std * torch.randn(mean.shape, device=mean.device, dtype=mean.dtype)
""",
)
