"""Accepted answers to exercise 01, and the mistakes learners make."""

import functools

import numpy as np
import torch
from torch import nn


class Finder(nn.Module):
    """What all variants share: they differ in how they make the grid."""

    def __init__(self, sharpness):
        super().__init__()
        self.sharpness = sharpness

    def forward(self, heat):
        y, x = (self.places(size, heat) for size in heat.shape[-2:])
        weights = (self.sharpness * heat.flatten(-2)).softmax(dim=-1).view_as(heat)
        across = (weights.sum(dim=-2) * x).sum(dim=-1)
        down = (weights.sum(dim=-1) * y).sum(dim=-1)
        return torch.stack([across, down], dim=-1)


class MadeThere(Finder):
    def places(self, size, heat):
        return torch.linspace(-1, 1, size, device=heat.device, dtype=heat.dtype)


class Moved(Finder):
    def places(self, size, heat):
        return torch.linspace(-1, 1, size).to(heat.device)


class MovedLikeTheInput(Finder):
    """`to` takes a tensor as well: its device and its dtype."""

    def places(self, size, heat):
        return torch.linspace(-1, 1, size).to(heat)


class FromOnes(Finder):
    """Made of a tensor that is there."""

    def places(self, size, heat):
        return heat.new_ones(size).cumsum(0).sub(1).mul(2 / (size - 1)).sub(1)


class PlainNumbers(Finder):
    def places(self, size, heat):
        return heat.new_tensor([2 * i / (size - 1) - 1 for i in range(size)])


class WithADeviceBlock(Finder):
    def places(self, size, heat):
        with torch.device(heat.device):
            return torch.linspace(-1, 1, size)


class AMeshgrid(nn.Module):
    """Another road: both coordinates of every place at once."""

    def __init__(self, sharpness):
        super().__init__()
        self.sharpness = sharpness

    def forward(self, heat):
        sides = [torch.linspace(-1, 1, size, device=heat.device) for size in heat.shape[-2:]]
        y, x = torch.meshgrid(*sides, indexing="ij")
        weights = (heat.flatten(-2) * self.sharpness).softmax(dim=-1)
        return weights @ torch.stack([x.flatten(), y.flatten()], dim=-1)


class CutFromATable(Finder):
    """A buffer long enough for any image, cut to size: moved with the module, and not saved."""

    def __init__(self, sharpness):
        super().__init__(sharpness)
        self.register_buffer("numbers", torch.arange(64.0), persistent=False)

    def places(self, size, heat):
        return self.numbers[:size] * 2 / (size - 1) - 1


class OnlyAcross(nn.Module):
    """The second grid was forgotten."""

    def __init__(self, sharpness):
        super().__init__()
        self.sharpness = sharpness

    def forward(self, heat):
        height, width = heat.shape[-2:]
        y = torch.linspace(-1, 1, height)
        x = torch.linspace(-1, 1, width, device=heat.device)
        weights = (self.sharpness * heat.flatten(-2)).softmax(dim=-1).view_as(heat)
        across = (weights.sum(dim=-2) * x).sum(dim=-1)
        down = (weights.sum(dim=-1) * y).sum(dim=-1)
        return torch.stack([across, down], dim=-1)


class AlwaysCuda(Finder):
    """Now it fails on the CPU."""

    def places(self, size, heat):
        return torch.linspace(-1, 1, size, device="cuda")


class CudaIfThereIsOne(Finder):
    """There is a GPU, but the heat maps may be elsewhere."""

    def places(self, size, heat):
        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        return torch.linspace(-1, 1, size, device=device)


class CudaIfTheHeatIs(Finder):
    """Right on the CPU and on the first GPU."""

    def places(self, size, heat):
        places = torch.linspace(-1, 1, size)
        return places.cuda() if heat.is_cuda else places


class ResultDropped(Finder):
    """`.to` of a tensor returns the moved one."""

    def places(self, size, heat):
        places = torch.linspace(-1, 1, size)
        places.to(heat.device)
        return places


class EverythingToTheCpu(Finder):
    """The input is fetched to the grid, and the points stay there."""

    def forward(self, heat):
        return super().forward(heat.cpu())

    def places(self, size, heat):
        return torch.linspace(-1, 1, size)


class ADeviceOfItsOwn(Finder):
    """Asked once, and never again."""

    def __init__(self, sharpness):
        super().__init__(sharpness)
        self.device = torch.device("cpu")

    def places(self, size, heat):
        return torch.linspace(-1, 1, size, device=self.device)


class Remembered(Finder):
    """Made once for each size, and always on the CPU."""

    def places(self, size, heat):
        return remembered(size)


@functools.lru_cache
def remembered(size):
    return torch.linspace(-1, 1, size)


class KeptInADict(Finder):
    """A cache that does not ask for the device."""

    def __init__(self, sharpness):
        super().__init__(sharpness)
        self.grids = {}

    def places(self, size, heat):
        if size not in self.grids:
            self.grids[size] = torch.linspace(-1, 1, size, device=heat.device)
        return self.grids[size]


class NumPyGrid(Finder):
    """NumPy has no GPU."""

    def places(self, size, heat):
        return torch.from_numpy(np.linspace(-1, 1, size, dtype=np.float32))


class NeverBegun(Finder):
    """PyTorch itself would not complain, until somebody moves it."""

    def __init__(self, sharpness):
        self.sharpness = sharpness

    def places(self, size, heat):
        return torch.linspace(-1, 1, size, device=heat.device)


class FromZeroToOne(Finder):
    """In the right place, with other numbers."""

    def places(self, size, heat):
        return torch.linspace(0, 1, size, device=heat.device)


class SetsTheDefault(Finder):
    """From here on, everything in the program is made where these heat maps are."""

    def places(self, size, heat):
        torch.set_default_device(heat.device)
        return torch.linspace(-1, 1, size)


class WhereItWasMoved(Finder):
    """A finder has no place of its own: whoever moves the maps need not move it."""

    def __init__(self, sharpness):
        super().__init__(sharpness)
        self.register_buffer("here", torch.empty(0), persistent=False)

    def places(self, size, heat):
        return torch.linspace(-1, 1, size, device=self.here.device)


ACCEPTED = (
    "MadeThere",
    "Moved",
    "MovedLikeTheInput",
    "FromOnes",
    "PlainNumbers",
    "WithADeviceBlock",
    "AMeshgrid",
    "CutFromATable",
)
ALSO_RIGHT = {
    "torch.linspace(-1, 1, width).to(heat)": "MovedLikeTheInput",
    "torch.meshgrid": "AMeshgrid",
}
MISTAKES = {
    "OnlyAcross": "made-in-forward",
    "AlwaysCuda": "hard-coded-device",
    "CudaIfThereIsOne": "hard-coded-device",
    "CudaIfTheHeatIs": "hard-coded-device",
    "ResultDropped": "to-result-dropped",
    "EverythingToTheCpu": "check forward",
    "ADeviceOfItsOwn": "stale-device",
    "Remembered": "stale-device",
    "KeptInADict": "stale-device",
    "NumPyGrid": "made-in-forward",
    "NeverBegun": "registration-misuse",
    "FromZeroToOne": "check forward",
    "SetsTheDefault": "check forward",
    "WhereItWasMoved": "check forward",
}
