"""Accepted answers to exercise 14b, and the mistakes learners make."""

import torch
from torch import nn
from torch.nn.functional import linear


class Adapted(nn.Module):
    """What all variants share."""

    def __init__(self, features, outputs, rank, device=None):
        super().__init__()
        self.keep(torch.ones(outputs, features, dtype=torch.int8, device=device))
        self.register_buffer("scale", torch.ones(outputs, 1, device=device))
        self.adapt(features, outputs, rank, device)

    def keep(self, codes):
        self.register_buffer("codes", codes)

    def adapt(self, features, outputs, rank, device):
        self.down = nn.Parameter(torch.randn(rank, features, device=device))
        self.up = nn.Parameter(torch.zeros(outputs, rank, device=device))

    def forward(self, x):
        weight = self.codes * self.scale
        return linear(x, weight) + linear(linear(x, self.down), self.up)


class FrozenParameter(Adapted):
    """Integers may be a Parameter that asks for no gradient."""

    def keep(self, codes):
        self.codes = nn.Parameter(codes, requires_grad=False)


class RegisteredTwice(Adapted):
    """Assigned, and registered under the same name: that adds nothing."""

    def adapt(self, features, outputs, rank, device):
        super().adapt(features, outputs, rank, device)
        self.register_parameter("down", self.down)
        self.register_parameter("up", self.up)


class OnlyRegistered(Adapted):
    """By `register_parameter` alone."""

    def adapt(self, features, outputs, rank, device):
        down = torch.randn(rank, features, device=device)
        self.register_parameter("down", nn.Parameter(down))
        self.register_parameter("up", nn.Parameter(torch.zeros(outputs, rank, device=device)))


class WhereTheCodesAre(Adapted):
    """An adapter that joins a layer asks the layer where it is."""

    def adapt(self, features, outputs, rank, device):
        down = torch.randn(rank, features)
        self.down = nn.Parameter(down.to(self.codes.device))
        self.up = nn.Parameter(self.scale.new_zeros(outputs, rank))


class MovedLast(Adapted):
    """Built in the default place; the module moves in place."""

    def __init__(self, features, outputs, rank, device=None):
        super().__init__(features, outputs, rank)
        self.to(device)


class PlainCodes(Adapted):
    """Half the work: the adapter is right, and the codes stay behind."""

    def keep(self, codes):
        self.codes = codes


class TrainedIntegers(Adapted):
    """A Parameter of integers: gradients need floating-point numbers."""

    def keep(self, codes):
        self.codes = nn.Parameter(codes)


class FloatingCodes(Adapted):
    """A Parameter of floats: four times the memory, and trained."""

    def keep(self, codes):
        self.codes = nn.Parameter(codes.float())


class NotSaved(Adapted):
    """Nothing can make the codes again."""

    def keep(self, codes):
        self.register_buffer("codes", codes, persistent=False)


class MovedAfterwards(Adapted):
    """As it was: on CUDA the result of the move is no Parameter."""

    def adapt(self, features, outputs, rank, device):
        self.down = nn.Parameter(torch.randn(rank, features))
        self.register_parameter("down", self.down.to(device))
        self.up = nn.Parameter(torch.zeros(outputs, rank))
        self.register_parameter("up", self.up.to(device))


class OtherNames(Adapted):
    """Registered under a second name: one more entry in the checkpoint."""

    def adapt(self, features, outputs, rank, device):
        super().adapt(features, outputs, rank, device)
        self.register_parameter("lora_down", self.down)


class ForgetsTheDevice(Adapted):
    """The adapter is added on the CPU, wherever the layer is."""

    def adapt(self, features, outputs, rank, device):
        super().adapt(features, outputs, rank, "cpu")


class AdapterOnCuda(Adapted):
    """On the GPU, because that is where layers are trained."""

    def adapt(self, features, outputs, rank, device):
        super().adapt(features, outputs, rank, "cuda")


class BuffersOnly(Adapted):
    """Moves, and is never trained."""

    def adapt(self, features, outputs, rank, device):
        self.register_buffer("down", torch.randn(rank, features, device=device))
        self.register_buffer("up", torch.zeros(outputs, rank, device=device))


class NoScale(Adapted):
    """Forgets what the codes are to be multiplied by."""

    def forward(self, x):
        return linear(x, self.codes.float()) + linear(linear(x, self.down), self.up)


class KeptByDevice(Adapted):
    """The product is kept for each device; a checkpoint that is loaded later does not reach it."""

    def __init__(self, features, outputs, rank, device=None):
        super().__init__(features, outputs, rank, device)
        self.weights = {}

    def forward(self, x):
        if x.device not in self.weights:
            self.weights[x.device] = self.codes * self.scale
        weight = self.weights[x.device]
        return linear(x, weight) + linear(linear(x, self.down), self.up)


class FloatsAfterwards(Adapted):
    """Integers until the first call."""

    def forward(self, x):
        self.codes = self.codes.to(x.dtype)
        return super().forward(x)


class FloatsOnCuda(Adapted):
    """Integers until the first call on a GPU."""

    def forward(self, x):
        if x.is_cuda:
            self.codes = self.codes.float()
        return super().forward(x)


class RankOfTwo(Adapted):
    """Not the caller's rank: as `up` begins with zeros, no output shows it."""

    def adapt(self, features, outputs, rank, device):
        super().adapt(features, outputs, 2, device)


class FourBits(Adapted):
    """Room for eight, and only four are used."""

    def forward(self, x):
        weight = self.codes.clamp(-8, 7) * self.scale
        return linear(x, weight) + linear(linear(x, self.down), self.up)


ACCEPTED = (
    "FrozenParameter",
    "RegisteredTwice",
    "OnlyRegistered",
    "WhereTheCodesAre",
    "MovedLast",
)
ALSO_RIGHT = {
    "nn.Parameter(codes, requires_grad=False)": "FrozenParameter",
    "`register_parameter` after the assignment": "RegisteredTwice",
}
MISTAKES = {
    "PlainCodes": "member-tensor",
    "TrainedIntegers": "parameter-or-buffer",
    "FloatingCodes": "parameter-or-buffer",
    "NotSaved": "check state_dict",
    "MovedAfterwards": "moved-before-registration",
    "OtherNames": "check state_dict",
    "ForgetsTheDevice": "check placement",
    "AdapterOnCuda": "check placement",
    "BuffersOnly": "check parameters",
    "NoScale": "check forward",
    "KeptByDevice": "check state_dict",
    "FloatsAfterwards": "check buffers",
    "FloatsOnCuda": "check buffers",
    "RankOfTwo": "check forward",
    "FourBits": "check forward",
}
