"""Accepted answers to exercise 13, and the mistakes learners make."""

import torch
from torch import nn
from torch.nn.functional import softplus


class Right(nn.Module):
    """What all variants share: everything fixed, in methods that each can replace."""

    def __init__(self, pixels, hidden, latent, depth):
        super().__init__()
        sizes = [pixels] + [hidden] * depth
        self.brightness = nn.Embedding(pixels, 1)
        self.keep_layers([nn.Linear(sizes[i], sizes[i + 1]) for i in range(depth)])
        self.mean = nn.Linear(hidden, latent)
        self.spread = nn.Linear(hidden, latent)
        self.decoder = nn.Linear(latent, pixels)
        inside = torch.ones(pixels, dtype=torch.bool)
        inside[0] = inside[-1] = False
        self.keep_mask(inside)

    def keep_layers(self, layers):
        self.encoder = nn.ModuleList(layers)

    def keep_mask(self, inside):
        self.register_buffer("inside", inside, persistent=False)

    def places(self, images):
        return torch.arange(images.shape[1], device=images.device)

    def noise(self, std):
        return torch.randn_like(std)

    def draw(self, mean, std):
        return mean + std * self.noise(std)

    def to_device(self, batch):
        device = self.mean.weight.device
        return tuple(part.to(device) for part in batch)

    def forward(self, batch):
        images, visible = self.to_device(batch)
        images = images * self.inside * visible
        hidden = images + self.brightness(self.places(images)).squeeze(1)
        for layer in self.encoder:
            hidden = torch.relu(layer(hidden))
        mean, std = self.mean(hidden), softplus(self.spread(hidden))
        return self.decoder(self.draw(mean, std)), mean, std


class CacheThatAsks(Right):
    """Keeps the place numbers, and asks for the device."""

    kept = None

    def places(self, images):
        if self.kept is None or self.kept.device != images.device:
            self.kept = torch.arange(images.shape[1], device=images.device)
        return self.kept


class NoiseOfAShape(Right):
    """The long form of `randn_like`; and every part by its name."""

    def noise(self, std):
        return torch.randn(std.shape, device=std.device, dtype=std.dtype)

    def to_device(self, batch):
        images, visible = batch
        device = next(self.parameters()).device
        return images.to(device), visible.to(device)


class WholeTable(Right):
    """All brightnesses at once need no place numbers."""

    def forward(self, batch):
        images, visible = self.to_device(batch)
        hidden = images * self.inside * visible + self.brightness.weight.squeeze(1)
        for layer in self.encoder:
            hidden = torch.relu(layer(hidden))
        mean, std = self.mean(hidden), softplus(self.spread(hidden))
        return self.decoder(mean + std * self.noise(std)), mean, std


class StillAList(Right):
    """The layers are invisible."""

    def keep_layers(self, layers):
        self.encoder = layers


class StillAPlainMask(Right):
    """The mask stays behind."""

    def keep_mask(self, inside):
        self.inside = inside


class SavedMask(Right):
    """The mask moves, and older checkpoints no longer load."""

    def keep_mask(self, inside):
        self.register_buffer("inside", inside)


class StillKept(Right):
    """The place numbers are from the first call."""

    kept = None

    def places(self, images):
        if self.kept is None:
            self.kept = torch.arange(images.shape[1], device=images.device)
        return self.kept


class StillCpuNoise(Right):
    """The noise is made on the CPU."""

    def noise(self, std):
        return torch.randn(std.shape)


class CudaNoise(Right):
    """The noise is made on CUDA, wherever the model is."""

    def noise(self, std):
        return torch.randn(std.shape, device="cuda")


class NoNoise(Right):
    """Without noise it is no longer a variational autoencoder."""

    def noise(self, std):
        return torch.zeros_like(std)


class OnlyTheImages(Right):
    """Half of the batch is moved."""

    def to_device(self, batch):
        images, visible = batch
        return images.to(self.mean.weight.device), visible


class RemembersTheDevice(Right):
    """Brings the batch to where the model was built."""

    def __init__(self, pixels, hidden, latent, depth):
        super().__init__(pixels, hidden, latent, depth)
        self.device = self.mean.weight.device

    def to_device(self, batch):
        return tuple(part.to(self.device) for part in batch)


class ForgetsTheMask(Right):
    """What is not there cannot stay behind."""

    def keep_mask(self, inside):
        self.inside = True


class UniformNoise(Right):
    """On the right device, and never negative."""

    def noise(self, std):
        return torch.rand_like(std)


class UniformOfTheSameSpread(Right):
    """Mean 0 and deviation 1, and still not normal."""

    def noise(self, std):
        return (torch.rand_like(std) - 0.5) * 12**0.5


class HardlyAnyNoise(Right):
    """A thousandth of what it was."""

    def noise(self, std):
        return 0.001 * torch.randn_like(std)


class OneDrawARow(Right):
    """All numbers of a code move together."""

    def noise(self, std):
        return torch.randn_like(std[:, :1])


class OneDrawForTheBatch(Right):
    """All codes of a batch move together."""

    def noise(self, std):
        return torch.randn_like(std[:1])


class HalfAFrame(Right):
    """One of the two pixels of the frame is let in."""

    def keep_mask(self, inside):
        inside[-1] = True
        self.register_buffer("inside", inside, persistent=False)


class DetachedMean(Right):
    """The drawn code no longer trains the mean."""

    def draw(self, mean, std):
        return super().draw(mean.detach(), std)


class DrawnWithoutAWayBack(Right):
    """`torch.normal` draws the same, and gives no gradient to the mean and the deviation."""

    def draw(self, mean, std):
        return torch.normal(mean, std)


class DetachedSpread(Right):
    """Drawn by a function without a way back to the deviation."""

    def noise(self, std):
        return torch.normal(0.0, std.detach()) / std.detach()

    def forward(self, batch):
        drawn, mean, std = super().forward(batch)
        return drawn, mean, std.detach()


class ChangesTheBatch(Right):
    """On the CPU `.to` copies nothing, so the loader's images change."""

    def to_device(self, batch):
        images, visible = super().to_device(batch)
        return images.mul_(self.inside), visible


ACCEPTED = ("Right", "CacheThatAsks", "NoiseOfAShape", "WholeTable")
ALSO_RIGHT = {
    "A cache": "CacheThatAsks",
    "torch.randn(std.shape, device=std.device)": "NoiseOfAShape",
}
MISTAKES = {
    "StillAList": "python-container",
    "StillAPlainMask": "member-tensor",
    "SavedMask": "check state_dict",
    "StillKept": "stale-device",
    "StillCpuNoise": "made-in-forward",
    "CudaNoise": "hard-coded-device",
    "NoNoise": "check forward",
    "OnlyTheImages": "input-transfer",
    "RemembersTheDevice": "check forward",
    "ForgetsTheMask": "check forward",
    "UniformNoise": "check forward",
    "UniformOfTheSameSpread": "check forward",
    "HardlyAnyNoise": "check forward",
    "OneDrawARow": "check forward",
    "OneDrawForTheBatch": "check forward",
    "HalfAFrame": "check forward",
    "DetachedMean": "check forward",
    "DrawnWithoutAWayBack": "check forward",
    "DetachedSpread": "check forward",
    "ChangesTheBatch": "check forward",
}
