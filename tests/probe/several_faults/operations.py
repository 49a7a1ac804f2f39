"""Faults by what is done with the tensor: written into, sampled, read by NumPy, caught."""

import numpy as np
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint


class Scatter(nn.Module):
    """Buffers that the call makes and operations write into."""

    def __init__(self):
        super().__init__()
        self.out = nn.Linear(8, 8)

    def forward(self, x):
        x = self.out(x)
        index = torch.arange(8)  # fault: made-in-forward
        counts = torch.zeros(8)  # fault: made-in-forward
        counts.index_add_(0, index, x.mean(dim=0))
        result = torch.empty(len(x), 8)  # fault: made-in-forward
        torch.add(x, counts, out=result)
        return result * 2


class Sampler(nn.Module):
    """A generator of the CPU, then noise that is made of it."""

    def __init__(self):
        super().__init__()
        self.out = nn.Linear(8, 8)
        self.generator = torch.Generator().manual_seed(0)  # fault: generator-device
        self.scale = torch.ones(8)  # fault: member-tensor

    def forward(self, x):
        noise = torch.randn(x.shape, generator=self.generator, device=x.device)
        x = self.out(x + noise) * self.scale
        return x + torch.rand(8)  # fault: made-in-forward


class Clipped(nn.Module):
    """Values go through NumPy, and what they come back to is misplaced as well."""

    def __init__(self):
        super().__init__()
        self.out = nn.Linear(8, 8)
        self.weights = torch.ones(8)  # fault: member-tensor

    def forward(self, x):
        x = self.out(x)
        limit = np.percentile(x.detach().numpy(), 90)  # fault: host-round-trip
        x = x.clamp(max=float(limit))
        return (x * self.weights).sum(dim=1) + torch.zeros(1)  # fault: made-in-forward


class Noise(nn.Module):
    """Noise meets a hidden tensor on the CPU before either meets the input."""

    def __init__(self):
        super().__init__()
        self.out = nn.Linear(8, 8)
        self.sigma = torch.full((8,), 0.1)  # fault: member-tensor

    def forward(self, x):
        noise = torch.randn(8) * self.sigma  # fault: made-in-forward
        return self.out(x) + noise


class Refused(nn.Module):
    """The exception is caught and raised as another."""

    def __init__(self):
        super().__init__()
        self.out = nn.Linear(8, 8)
        self.mask = torch.ones(8)  # fault: member-tensor

    def forward(self, x):
        try:
            x = x * self.mask
        except RuntimeError as error:
            raise ValueError("the mask does not fit") from error
        x = self.out(x)
        try:
            x = x + torch.zeros(8)  # fault: made-in-forward
        except RuntimeError as error:
            raise ValueError("the bias does not fit") from error
        return x * torch.ones(8)  # fault: made-in-forward


class Checkpointed(nn.Module):
    """In the part that is computed again, and behind it."""

    def __init__(self):
        super().__init__()
        self.first = nn.Linear(8, 8)
        self.last = [nn.Linear(8, 8)]  # fault: python-container

    def block(self, x):
        return torch.relu(self.first(x) + torch.ones(8))  # fault: made-in-forward

    def forward(self, x):
        x = checkpoint(self.block, x, use_reentrant=False)
        return self.last[0](x)


class Straight(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        steps = torch.full((8,), 4.0)  # fault: made-in-forward
        return torch.round(x * steps) / steps

    @staticmethod
    def backward(ctx, gradient):
        return gradient


class Rounded(nn.Module):
    """In the `forward` of an autograd function, and in the module's own."""

    def __init__(self):
        super().__init__()
        self.out = nn.Linear(8, 8)
        self.offset = torch.zeros(8)  # fault: member-tensor

    def forward(self, x):
        x = Straight.apply(self.out(x))
        return x + self.offset


class Patches(nn.Module):
    """A loop whose rounds all meet the same two faults."""

    def __init__(self):
        super().__init__()
        self.embed = nn.Linear(4, 8)
        self.kinds = [torch.full((8,), float(i)) for i in range(3)]  # fault: python-container

    def forward(self, x):
        rows = []
        for start, kind in enumerate(self.kinds):
            window = x[:, start : start + 4]
            rows.append(self.embed(window) + kind)
            rows[-1] = rows[-1] * torch.hann_window(8)  # fault: made-in-forward
        return torch.stack(rows, dim=1)


class Reparametrised(nn.Module):
    """A dropped `.to`, a sample, and a loss term in a second output."""

    def __init__(self):
        super().__init__()
        self.mean = nn.Linear(8, 8)
        self.spread = nn.Linear(8, 8)

    def forward(self, x):
        mean, spread = self.mean(x), self.spread(x)
        noise = torch.randn(len(x), 8)
        noise.to(x.device)  # fault: to-result-dropped
        sample = mean + spread * noise
        prior = torch.zeros(8)  # fault: made-in-forward
        return sample, ((mean - prior) ** 2).mean(dim=1)


class Points(nn.Module):
    """Distances to anchors in a list, and a grid made by `meshgrid`."""

    def __init__(self):
        super().__init__()
        self.embed = nn.Linear(8, 2)
        self.anchors = [torch.randn(5, 2)]  # fault: python-container

    def forward(self, x):
        at = self.embed(x)
        near = torch.cdist(at, self.anchors[0])
        steps = torch.arange(4.0), torch.arange(5.0)  # fault: made-in-forward
        rows, _ = torch.meshgrid(*steps, indexing="ij")
        return near + rows


class LateLayer(nn.Module):
    """A layer that each call builds, behind a mask."""

    def __init__(self):
        super().__init__()
        self.first = nn.Linear(8, 8)
        self.mask = torch.ones(8)  # fault: member-tensor

    def forward(self, x):
        x = self.first(x) * self.mask
        return nn.Linear(8, 4)(x)  # fault: layer-in-forward


class RefinedPooling(nn.Module):
    """Builds a layer on one line and uses it on the next: its weights are drawn in place."""

    def __init__(self):
        super().__init__()
        self.score = nn.Linear(8, 8)
        self.scale = torch.full((8,), 0.5)  # fault: member-tensor

    def forward(self, x):
        refine = nn.Linear(8, 8)  # fault: layer-in-forward
        pooled = refine(self.score(x))
        return pooled * self.scale


class Shrinkage(nn.Module):
    """Makes a number of an empty `torch.Size`, as PyTorch's distributions do."""

    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(8))
        self.centre = torch.zeros(8)  # fault: member-tensor
        self.mask = torch.ones(8)  # fault: member-tensor

    def forward(self, x):
        centred = (x - self.centre) * self.scale
        half = centred.new(torch.Size()).fill_(0.5)
        return centred * half * self.mask
