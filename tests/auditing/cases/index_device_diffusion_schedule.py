"""The noise schedule is a CPU table and the time steps are on the GPU: the table cannot be indexed.

Thread: https://github.com/mattroz/diffusion-ddpm/issues/5
"""

import torch
from torch import nn

CODE = "index-device"
WHERE = "self.alphas_hat"
LINE_HAS = "self.alphas_hat[timesteps]"


class NoisePredictor(nn.Module):
    def __init__(self, dim=8, steps=20):
        super().__init__()
        betas = torch.linspace(1e-4, 0.02, steps)
        self.alphas_hat = torch.cumprod(1 - betas, dim=0)
        self.predict = nn.Linear(dim, dim)

    def forward(self, x, timesteps):
        alpha = self.alphas_hat[timesteps].to(x).unsqueeze(1)
        noisy = alpha.sqrt() * x + (1 - alpha).sqrt() * torch.randn_like(x)
        return self.predict(noisy)


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randn(4, 8), torch.randint(0, 20, (4,)))


BUGGY = NoisePredictor
FIXED = (
    """\
-        self.alphas_hat = torch.cumprod(1 - betas, dim=0)
+        self.register_buffer("alphas_hat", torch.cumprod(1 - betas, dim=0), persistent=False)

-        alpha = self.alphas_hat[timesteps].to(x).unsqueeze(1)
+        alpha = self.alphas_hat[timesteps].unsqueeze(1)
""",
)
