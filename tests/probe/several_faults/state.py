"""What modules keep between calls, remember, and are built of."""

import torch
from torch import nn


class Rotary(nn.Module):
    """A cache that follows the first input, in a child, and a table that nobody registered."""

    def __init__(self):
        super().__init__()
        self.table = torch.randn(8)  # fault: member-tensor
        self.cached = None

    def forward(self, x):
        if self.cached is None:
            self.cached = torch.cos(torch.arange(8, device=x.device) / 8)  # fault: stale-device
        return x * self.cached + self.table


class Encoder(nn.Module):
    """The faults of children, and one of its own behind theirs."""

    def __init__(self):
        super().__init__()
        self.rotary = Rotary()
        self.heads = {name: nn.Linear(8, 8) for name in ("a", "b")}  # fault: python-container

    def forward(self, x):
        x = self.rotary(x)
        x = self.heads["a"](x) + self.heads["b"](x)
        return x + torch.ones(8)  # fault: made-in-forward


class Remembering(nn.Module):
    """Each tensor is put where the module once was."""

    def __init__(self):
        super().__init__()
        self.out = nn.Linear(8, 8)
        self.device = self.out.weight.device
        self.prior = torch.ones(8)  # fault: member-tensor

    def forward(self, x):
        device = self.device
        x = self.out(x) + torch.zeros(8, device=self.device)  # fault: stale-device
        x = x - torch.ones(8, device=device)
        return x * self.prior


class Experts(nn.Module):
    """Parameters in a list, a gate in a tuple, and noise in train mode only."""

    def __init__(self):
        super().__init__()
        weights = torch.randn(3, 8, 8)
        self.experts = [nn.Parameter(weight) for weight in weights]  # fault: python-container
        self.gate = (nn.Linear(8, 3),)  # fault: python-container
        self.out = nn.Linear(8, 8)

    def forward(self, x):
        weights = torch.softmax(self.gate[0](x), dim=-1)
        if self.training:
            weights = weights + torch.rand(3) / 100  # fault: made-in-forward
        mixed = sum(weights[:, i : i + 1] * (x @ expert) for i, expert in enumerate(self.experts))
        return self.out(mixed)


class Calibrated(nn.Module):
    """A fault in eval mode only, behind one that both modes meet."""

    def __init__(self):
        super().__init__()
        self.out = nn.Linear(8, 8)
        self.center = torch.zeros(8)  # fault: member-tensor

    def forward(self, x):
        x = self.out(x - self.center)
        if not self.training:
            x = x * torch.full((8,), 2.0)  # fault: made-in-forward
        return x


class Batched(nn.Module):
    """A fault that only half a batch meets, behind one of every call."""

    def __init__(self):
        super().__init__()
        self.out = nn.Linear(8, 8)
        self.bank = [torch.ones(8), torch.zeros(8)]  # fault: python-container

    def forward(self, x):
        x = self.out(x) * self.bank[0] + self.bank[1]
        if len(x) < 4:
            x = torch.cat([x, torch.zeros(4 - len(x), 8)])  # fault: made-in-forward
        return x


class Chosen(nn.Module):
    """A device that is written into the code, and a mask next to it."""

    def __init__(self):
        super().__init__()
        self.out = nn.Linear(8, 8)
        self.mask = torch.ones(8)  # fault: member-tensor

    def forward(self, x):
        x = self.out(x) * self.mask
        offset = torch.zeros(8, device="cpu")  # fault: hard-coded-device
        return x + offset


class Quantiser(nn.Module):
    """A codebook that is looked up on the CPU, and what each call makes of it."""

    def __init__(self):
        super().__init__()
        self.levels = torch.linspace(-1, 1, 16)
        self.out = nn.Linear(8, 8)

    def forward(self, x):
        ids = ((self.out(x).tanh() + 1) * 7).long()
        picked = self.levels[ids]  # fault: index-device
        return picked + torch.ones(8)  # fault: made-in-forward


class Hooked(nn.Module):
    """A hook and the layer behind it."""

    def __init__(self):
        super().__init__()
        self.first = nn.Linear(8, 8)
        self.first.register_forward_hook(self.shift)
        self.offset = torch.ones(8)  # fault: member-tensor
        self.second = [nn.Linear(8, 8)]  # fault: python-container

    def shift(self, layer, args, out):
        return out + self.offset

    def forward(self, x):
        return self.second[0](self.first(x))


class Defaults(nn.Module):
    """A tensor that is a default argument, and one of the class."""

    levels = torch.ones(8)  # fault: member-tensor

    def __init__(self):
        super().__init__()
        self.out = nn.Linear(8, 8)

    def forward(self, x, scale=torch.ones(8)):  # noqa: B008
        x = self.out(x) * scale  # fault: member-tensor
        x = x * self.levels
        return x + torch.arange(8.0)  # fault: made-in-forward


class Whitener(nn.Module):
    """Statistics in a dict, made anew by a method that a fault of its own follows."""

    def __init__(self):
        super().__init__()
        self.stats = {"mean": torch.zeros(8), "std": torch.ones(8)}  # fault: python-container
        self.out = nn.Linear(8, 8)

    def normal(self, x):
        return (x - self.stats["mean"]) / self.stats["std"]

    def forward(self, x):
        x = self.out(self.normal(x))
        limit = torch.tensor([3.0])  # fault: made-in-forward
        return torch.minimum(x, limit)
