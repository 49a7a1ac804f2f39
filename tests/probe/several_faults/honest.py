"""Modules with one fault, among computations on the CPU that are meant."""

from contextlib import suppress

import numpy as np
import torch
from torch import nn

FREQUENCIES = torch.linspace(0, 1, 8)


class Positions(nn.Module):
    """Positions are made and scaled on the CPU, then moved."""

    def __init__(self):
        super().__init__()
        self.out = nn.Linear(8, 8)
        self.mask = torch.ones(8)  # fault: member-tensor

    def forward(self, x):
        x = x * self.mask
        positions = torch.arange(8) / torch.full((8,), 10.0)
        positions = torch.sin(positions * FREQUENCIES)
        return self.out(x) + positions.to(x.device)


class Logged(nn.Module):
    """Each call hands a copy to NumPy."""

    def __init__(self):
        super().__init__()
        self.out = nn.Linear(8, 8)
        self.shift = [torch.ones(8)]  # fault: python-container
        self.history = []

    def forward(self, x):
        x = self.out(x) + self.shift[0]
        self.history.append(float(x.detach().cpu().numpy().mean()))
        spread = torch.from_numpy(np.ones(8, dtype=np.float32)) * x.detach().cpu().std()
        return x * spread.to(x.device)


class Lookup(nn.Module):
    """A large table stays on the CPU, and its rows are moved."""

    def __init__(self):
        super().__init__()
        self.out = nn.Linear(8, 8)

    def forward(self, ids):
        table = torch.arange(160.0).reshape(20, 8)
        rows = (table[ids.cpu()] + torch.ones(8)).to(ids.device)
        return self.out(rows) + torch.zeros(8)  # fault: made-in-forward

    @staticmethod
    def example_input():
        return (torch.randint(0, 20, (4,)),)


class Scored(nn.Module):
    """A result is brought back to the CPU on purpose."""

    def __init__(self):
        super().__init__()
        self.out = nn.Linear(8, 8)

    def forward(self, x):
        x = self.out(x) * torch.ones(8)  # fault: made-in-forward
        scores = x.detach().cpu()
        return x, scores + torch.zeros(8)


class Scalars(nn.Module):
    """Numbers on the CPU mix with any device."""

    def __init__(self):
        super().__init__()
        self.out = nn.Linear(8, 8)
        self.register_buffer("scale", torch.ones(8))
        self.offset = torch.zeros(8)  # fault: member-tensor

    def forward(self, x):
        half = torch.tensor(0.5)
        rate = torch.rand(()) * half + torch.linspace(0, 1, 3)[1]
        return self.out(x) * self.scale * rate + self.offset * half


class Fallback(nn.Module):
    """It tries what mixes devices, and catches the exception."""

    def __init__(self):
        super().__init__()
        self.out = nn.Linear(8, 8)
        self.mask = torch.ones(8)  # fault: member-tensor

    def forward(self, x):
        x = x * self.mask
        weights = torch.linspace(0, 1, 8)
        try:
            x = x * weights
        except RuntimeError:
            x = x * weights.to(x.device)
        with suppress(RuntimeError):
            x = x + torch.zeros(8)
        return self.out(x)


class DroppedLate(nn.Module):
    """What is made on the CPU is computed there, until a line means to move it."""

    def __init__(self):
        super().__init__()
        self.out = nn.Linear(8, 8)

    def forward(self, x):
        bias = torch.zeros(8)
        bias = bias + torch.arange(8.0) * torch.linspace(0, 1, 8)
        mean = bias - torch.ones(8)
        bias.to(x.device)  # fault: to-result-dropped
        return self.out(x) + bias + mean.to(x.device)


class Permuted(nn.Module):
    """A CUDA tensor may be indexed from the CPU."""

    def __init__(self):
        super().__init__()
        self.out = nn.Linear(8, 8)

    def forward(self, x):
        order = torch.randperm(len(x))
        x = self.out(x[order]) + torch.ones(8)  # fault: made-in-forward
        back = torch.empty_like(order)
        back[order] = torch.arange(len(order))
        return x[back]


class CachedByDevice(nn.Module):
    """A cache that asks the device, and a constant by NumPy."""

    def __init__(self):
        super().__init__()
        self.out = nn.Linear(8, 8)
        self.window = np.hanning(8).astype(np.float32)
        self.cache = {}
        self.scale = torch.ones(8)  # fault: member-tensor

    def forward(self, x):
        x = x * self.scale
        if x.device not in self.cache:
            self.cache[x.device] = torch.from_numpy(self.window).to(x.device)
        return self.out(x) * self.cache[x.device]


class Budget(nn.Module):
    """Lengths and sizes are computed on the CPU, and used as numbers."""

    def __init__(self):
        super().__init__()
        self.out = nn.Linear(8, 8)

    def forward(self, x):
        lengths = (x > 0).sum(dim=1).cpu()
        shares = lengths / (lengths.sum() + 1) + torch.zeros(len(x))
        longest = int(lengths.max())
        x = self.out(x) * torch.ones(8)  # fault: made-in-forward
        return x / (1 + longest) + shares.tolist()[0]


class Augmented(nn.Module):
    """Noise is drawn by a CPU generator on the CPU, and moved."""

    def __init__(self):
        super().__init__()
        self.out = nn.Linear(8, 8)
        self.strength = torch.full((8,), 0.1)  # fault: member-tensor

    def forward(self, x):
        generator = torch.Generator().manual_seed(3)
        noise = torch.randn(len(x), 8, generator=generator) * torch.linspace(0, 1, 8)
        return self.out(x) * self.strength + noise.to(x)


class Assembled(nn.Module):
    """Rows are gathered in a CPU tensor, and moved once."""

    def __init__(self):
        super().__init__()
        self.out = nn.Linear(8, 8)

    def forward(self, x):
        rows = torch.zeros(len(x), 8)
        for i in range(len(x)):
            rows[i] = torch.arange(8.0) + i
        x = x + torch.eye(8)[0]  # fault: made-in-forward
        return self.out(x + rows.to(x.device))


def steps(size):
    return torch.arange(float(size))


class OneHelper(nn.Module):
    """A function makes tensors that other lines move."""

    def __init__(self):
        super().__init__()
        self.out = nn.Linear(8, 8)
        self.mask = torch.ones(8)  # fault: member-tensor

    def forward(self, x):
        x = self.out(x) * self.mask
        wide = (steps(8) + torch.ones(8)).to(x.device)
        return x + wide + steps(8).to(x.device)


class Mover(nn.Module):
    """It moves its inputs itself, but for a helper's table."""

    def __init__(self):
        super().__init__()
        self.out = nn.Linear(8, 8)

    def forward(self, batch):
        device = self.out.weight.device
        x = batch["x"].to(device)
        lengths = batch["lengths"].cpu()
        x = x / torch.sqrt(lengths.float() + torch.ones(4))[:, None].to(device)
        return self.out(x) + torch.ones(8)  # fault: made-in-forward

    @staticmethod
    def example_input():
        return ({"x": torch.randn(4, 8), "lengths": torch.tensor([1, 2, 3, 4])},)


class Offloaded(nn.Module):
    """A frozen table stays on the CPU in a dict that hides it, and only its rows are moved."""

    def __init__(self):
        super().__init__()
        self.out = nn.Linear(8, 8)
        self.bias = [torch.zeros(8)]  # fault: python-container

    def forward(self, ids):
        index = ids.cpu() + torch.zeros(4, dtype=torch.long)
        table = FREQUENCIES[None] * torch.arange(20.0)[:, None]
        rows = nn.functional.embedding(index, table).to(ids.device)
        return self.out(rows) + self.bias[0]

    @staticmethod
    def example_input():
        return (torch.randint(0, 20, (4,)),)


class Copied(nn.Module):
    """A copy on the CPU is sorted, compared and read there."""

    def __init__(self):
        super().__init__()
        self.out = nn.Linear(8, 8)

    def forward(self, x):
        x = self.out(x) * torch.linspace(0, 1, 8)  # fault: made-in-forward
        here = x.detach().cpu()
        order = torch.argsort(here.sum(dim=1)) + torch.zeros(len(x), dtype=torch.long)
        top = np.sort(here.numpy(), axis=1)[:, -1]
        limit = torch.from_numpy(top) + torch.ones(len(x))
        return x[order].clamp(max=limit.max().item()), limit.tolist()[0]


class Tried(nn.Module):
    """Behind the fault, what is caught calls what is not."""

    def __init__(self):
        super().__init__()
        self.out = nn.Linear(8, 8)
        self.mask = torch.ones(8)  # fault: member-tensor

    def fused(self, x):
        return torch.baddbmm(torch.zeros(1, 1, 8), x[None], torch.eye(8)[None])[0]

    def forward(self, x):
        x = x * self.mask
        try:
            x = self.fused(x)
        except (RuntimeError, TypeError):
            x = x @ torch.eye(8, device=x.device)
        return self.out(x)


class TwoWays(nn.Module):
    """A function makes a tensor that one line forgets to move, and another computes with."""

    def __init__(self):
        super().__init__()
        self.out = nn.Linear(8, 8)

    def forward(self, x):
        x = self.out(x) * ramp(8)
        wide = torch.sqrt(ramp(8) + torch.ones(8))
        return x + wide.to(x.device)


def ramp(size):
    return torch.linspace(0, 1, size)  # fault: made-in-forward


class ThroughNumpy(nn.Module):
    """NumPy is handed a CUDA tensor; other arrays become tensors of the CPU, and are moved."""

    def __init__(self):
        super().__init__()
        self.out = nn.Linear(8, 8)
        self.window = np.hanning(8).astype(np.float32)

    def forward(self, x):
        x = self.out(x)
        top = x.detach().numpy().max()  # fault: host-round-trip
        window = torch.from_numpy(self.window) + torch.ones(8)
        return x * window.to(x.device) / float(top)


class Written(nn.Module):
    """A buffer that is written in place; what PyTorch refuses for another reason is caught."""

    def __init__(self):
        super().__init__()
        self.out = nn.Linear(8, 8)
        self.register_buffer("seen", torch.zeros(8))
        self.weights = torch.ones(8)  # fault: member-tensor

    def forward(self, x):
        x = self.out(x) * self.weights
        self.seen.add_(x.detach().mean(dim=0)).mul_(0.5)
        order = torch.arange(3)
        try:
            x = x.view(3, -1)[order]
        except RuntimeError:
            x = x[order[:2]]
        return x + self.seen


class Drawn(nn.Module):
    """Random choices of a CPU generator, as numbers, behind a fault in train mode."""

    def __init__(self):
        super().__init__()
        self.out = nn.Linear(8, 8)

    def forward(self, x):
        x = self.out(x)
        if self.training:
            x = x + torch.randn(8)  # fault: made-in-forward
        generator = torch.Generator().manual_seed(1)
        chosen = torch.randperm(8, generator=generator)[:4]
        share = (torch.rand(8, generator=generator) + torch.ones(8)).mean()
        return x[:, chosen] * share


class MovedLater(nn.Module):
    """Copies of what is misplaced are moved, and kept, behind the lines that forget to."""

    def __init__(self):
        super().__init__()
        self.out = nn.Linear(8, 8)
        self.mask = torch.ones(8)  # fault: member-tensor

    def forward(self, x):
        x = self.out(x) * self.mask
        noise = torch.randn(8)  # fault: made-in-forward
        x = x + noise
        mask, again = self.mask.to(x.device), noise.to(x.device)
        return x * mask + again
