"""Accepted answers to exercise 06, and the mistakes learners make."""

from typing import NamedTuple

import numpy as np
import torch
from torch import nn


class Autoencoder(nn.Module):
    """What all variants share."""

    def __init__(self, features, hidden, latent):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(features, hidden), nn.SiLU())
        self.mean = nn.Linear(hidden, latent)
        self.spread = nn.Linear(hidden, latent)
        self.decoder = nn.Sequential(
            nn.Linear(latent, hidden), nn.SiLU(), nn.Linear(hidden, features)
        )

    def forward(self, x):
        hidden = self.encoder(x)
        mean, std = self.mean(hidden), nn.functional.softplus(self.spread(hidden))
        return self.decoder(self.sample(mean, std)), mean, std


class WithDevice(Autoencoder):
    def sample(self, mean, std):
        return mean + std * torch.randn(std.shape, device=std.device, dtype=std.dtype)


class Moved(Autoencoder):
    """A copy in each call, and right."""

    def sample(self, mean, std):
        noise = torch.randn(std.shape)
        noise = noise.to(mean.device)
        return mean + std * noise


class ADistribution(Autoencoder):
    def sample(self, mean, std):
        return torch.distributions.Normal(mean, std).rsample()


class FilledInPlace(Autoencoder):
    def sample(self, mean, std):
        noise = torch.empty_like(std).normal_()
        return torch.addcmul(mean, std, noise)


class NewFromATensor(Autoencoder):
    def sample(self, mean, std):
        return mean + std * std.new_empty(std.shape).normal_(0.0, 1.0)


class WhereTheParametersAre(Autoencoder):
    def sample(self, mean, std):
        device = next(self.parameters()).device
        return mean + std * torch.randn(*std.shape, device=device)


class AGeneratorOfItsOwn(Autoencoder):
    """Noise that no seed of the program decides."""

    def sample(self, mean, std):
        generator = torch.Generator(device=std.device)
        generator.seed()
        return mean + std * torch.randn(std.shape, generator=generator, device=std.device)


class BroughtFromNumPy(Autoencoder):
    """NumPy has no GPU, so what it draws is brought there."""

    def sample(self, mean, std):
        noise = np.random.standard_normal(tuple(std.shape))
        return mean + std * torch.from_numpy(noise).to(std)


class AlwaysCuda(Autoencoder):
    """Now it fails on the CPU, and on the second GPU."""

    def sample(self, mean, std):
        return mean + std * torch.randn(std.shape).cuda()


class CudaIfThereIsOne(Autoencoder):
    """There is a GPU, but the model may be elsewhere."""

    def sample(self, mean, std):
        device = "cuda" if torch.cuda.is_available() else "cpu"
        return mean + std * torch.randn(std.shape, device=device)


class CudaIfTheMeanIs(Autoencoder):
    """Right on the CPU and on the first GPU."""

    def sample(self, mean, std):
        noise = torch.randn(std.shape)
        if mean.is_cuda:
            noise = noise.cuda()
        return mean + std * noise


class ResultDropped(Autoencoder):
    """`.to` of a tensor returns the moved one."""

    def sample(self, mean, std):
        noise = torch.randn(std.shape)
        noise.to(std.device)
        return mean + std * noise


class ADeviceOfItsOwn(Autoencoder):
    """A second truth, which nobody maintains."""

    def __init__(self, features, hidden, latent):
        super().__init__(features, hidden, latent)
        self.device = torch.device("cpu")

    def sample(self, mean, std):
        return mean + std * torch.randn(std.shape, device=self.device)


class DrawnOnce(Autoencoder):
    """A plain tensor; and the noise is always the same."""

    def __init__(self, features, hidden, latent):
        super().__init__(features, hidden, latent)
        self.noise = torch.randn(latent)

    def sample(self, mean, std):
        return mean + std * self.noise


class DrawnOnceAndMoved(DrawnOnce):
    """A buffer, so it moves; and the noise is always the same."""

    def __init__(self, features, hidden, latent):
        super().__init__(features, hidden, latent)
        del self.noise
        self.register_buffer("noise", torch.randn(latent), persistent=False)


class DrawnWithoutAWayBack(Autoencoder):
    """On the right device, and no gradient comes back through `torch.normal`."""

    def sample(self, mean, std):
        return torch.normal(mean, std)


class KeptFromTheFirstCall(Autoencoder):
    """Where the first batch was, the noise stays."""

    def __init__(self, features, hidden, latent):
        super().__init__(features, hidden, latent)
        self.noise = None

    def sample(self, mean, std):
        if self.noise is None:
            self.noise = torch.randn_like(std[:1].detach())
        return mean + std * self.noise


class NumPyNoise(Autoencoder):
    """NumPy has no GPU."""

    def sample(self, mean, std):
        return mean + std * torch.from_numpy(np.random.randn(*std.shape)).float()


class CpuGenerator(Autoencoder):
    """The right device, and a generator that belongs to another."""

    def sample(self, mean, std):
        generator = torch.Generator().manual_seed(0)
        return mean + std * torch.randn(std.shape, generator=generator, device=std.device)


class BackToTheCpu(Autoencoder):
    """The noise is not fetched to the batch, but the batch to the noise."""

    def sample(self, mean, std):
        return mean.cpu() + std.cpu() * torch.randn(std.shape)


class WeightsOnTheCpu(Autoencoder):
    """The layers work on the CPU with copies of their weights, and only their results come back."""

    def forward(self, x):
        device, x = x.device, x.cpu()
        hidden = self.worked(self.encoder, x)
        mean = self.worked(self.mean, hidden).to(device)
        std = nn.functional.softplus(self.worked(self.spread, hidden).to(device))
        code = mean + std * torch.randn_like(std)
        return self.worked(self.decoder, code.cpu()).to(device), mean, std

    def worked(self, layer, x):
        weights = {name: weight.cpu() for name, weight in layer.named_parameters()}
        return torch.func.functional_call(layer, weights, (x,))


class Swapped(Autoencoder):
    """On the right device, and the outputs in another order."""

    def sample(self, mean, std):
        return mean + std * torch.randn_like(std)

    def forward(self, x):
        rebuilt, mean, std = super().forward(x)
        return rebuilt, std, mean


class UniformNoise(Autoencoder):
    """On the right device, and never negative."""

    def sample(self, mean, std):
        return mean + std * torch.rand_like(std)


class UniformOfTheSameSpread(Autoencoder):
    """Mean 0 and deviation 1, and still not normal."""

    def sample(self, mean, std):
        return mean + std * (torch.rand_like(std) - 0.5) * 12**0.5


class HardlyAnyNoise(Autoencoder):
    """A thousandth of what it was."""

    def sample(self, mean, std):
        return mean + 0.001 * std * torch.randn_like(std)


class ALittleMoreNoise(Autoencoder):
    """A quarter more than it was."""

    def sample(self, mean, std):
        return mean + 1.25 * std * torch.randn_like(std)


class OneDrawARow(Autoencoder):
    """All numbers of a code move together."""

    def sample(self, mean, std):
        return mean + std * torch.randn_like(std[:, :1])


class OneDrawForTheBatch(Autoencoder):
    """All codes of a batch move together."""

    def sample(self, mean, std):
        return mean + std * torch.randn_like(std[:1])


class Coded(NamedTuple):
    """What `forward` returns: a tuple whose parts have names."""

    rebuilt: torch.Tensor
    mean: torch.Tensor
    std: torch.Tensor


class NamedParts(WithDevice):
    """A named tuple is a tuple."""

    def forward(self, x):
        return Coded(*super().forward(x))


ACCEPTED = (
    "WithDevice",
    "Moved",
    "ADistribution",
    "FilledInPlace",
    "NewFromATensor",
    "WhereTheParametersAre",
    "NamedParts",
    "AGeneratorOfItsOwn",
    "BroughtFromNumPy",
)
ALSO_RIGHT = {
    "torch.randn(std.shape, device=std.device)": "WithDevice",
    "std.new_empty(std.shape).normal_()": "NewFromATensor",
    "torch.distributions.Normal": "ADistribution",
}
MISTAKES = {
    "AlwaysCuda": "hard-coded-device",
    "CudaIfThereIsOne": "hard-coded-device",
    "CudaIfTheMeanIs": "hard-coded-device",
    "ResultDropped": "to-result-dropped",
    "ADeviceOfItsOwn": "stale-device",
    "DrawnOnce": "member-tensor",
    "DrawnOnceAndMoved": "check forward",
    "DrawnWithoutAWayBack": "check training",
    "KeptFromTheFirstCall": "stale-device",
    "NumPyNoise": "made-in-forward",
    "CpuGenerator": "generator-device",
    "BackToTheCpu": "check forward",
    "WeightsOnTheCpu": "check forward",
    "Swapped": "check forward",
    "UniformNoise": "check forward",
    "UniformOfTheSameSpread": "check forward",
    "HardlyAnyNoise": "check forward",
    "ALittleMoreNoise": "check forward",
    "OneDrawARow": "check forward",
    "OneDrawForTheBatch": "check forward",
}
