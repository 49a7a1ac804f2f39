"""A product of experts calls .cuda() on its inputs whenever the machine has a GPU.

Thread: https://github.com/pykale/pykale/issues/542
"""

import torch
from torch import nn

CODE = "hard-coded-device"
LINE_HAS = ".cuda()"


class MultimodalEncoder(nn.Module):
    def __init__(self, dim=6, latent=3):
        super().__init__()
        self.latent = latent
        self.encode = nn.Linear(dim, 2 * latent)

    def prior_expert(self, batch):
        mean, log_var = torch.zeros(batch, self.latent), torch.zeros(batch, self.latent)
        if torch.cuda.is_available():
            mean, log_var = mean.cuda(), log_var.cuda()
        return mean, log_var

    def forward(self, x):
        mean, log_var = self.encode(x).chunk(2, dim=-1)
        prior_mean, prior_log_var = self.prior_expert(x.shape[0])
        precision = torch.exp(-log_var) + torch.exp(-prior_log_var)
        return (mean * torch.exp(-log_var) + prior_mean) / precision


class MultimodalEncoderFromInput(nn.Module):
    def __init__(self, dim=6, latent=3):
        super().__init__()
        self.encode = nn.Linear(dim, 2 * latent)

    def forward(self, x):
        mean, log_var = self.encode(x).chunk(2, dim=-1)
        prior_mean, prior_log_var = torch.zeros_like(mean), torch.zeros_like(log_var)
        precision = torch.exp(-log_var) + torch.exp(-prior_log_var)
        return (mean * torch.exp(-log_var) + prior_mean) / precision


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randn(4, 6),)


BUGGY = MultimodalEncoder
FIXED = (MultimodalEncoderFromInput,)
