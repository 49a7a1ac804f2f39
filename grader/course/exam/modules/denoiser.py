import torch
from torch import nn


class Denoiser(nn.Module):
    def __init__(self, width=6, steps=20):
        super().__init__()
        betas = torch.linspace(1e-4, 0.02, steps)
        self.kept = torch.cumprod(1 - betas, dim=0)
        self.net = nn.Sequential(nn.Linear(width + 1, 16), nn.SiLU(), nn.Linear(16, width))

    def forward(self, clean, step):
        kept = self.kept[step].unsqueeze(-1)
        noise = torch.randn_like(clean)
        noisy = kept.sqrt() * clean + (1 - kept).sqrt() * noise
        predicted = self.net(torch.cat([noisy, kept], dim=-1))
        return (predicted - noise).square().mean(dim=-1)


def example_input():
    return (torch.randn(3, 6), torch.tensor([1, 5, 9]))
