"""Devices in the code, functions that several lines call, holders, and layers given masks."""

from collections import deque
from dataclasses import dataclass

import torch
from torch import nn
from torch.nn import functional


class Written(nn.Module):
    """A device in the code, so that the first call on the CPU raises already."""

    def __init__(self):
        super().__init__()
        self.mask = torch.ones(8)  # fault: member-tensor
        self.layers = [nn.Linear(8, 8)]  # fault: python-container

    def forward(self, x):
        x = x + torch.zeros(8, device="cuda")  # fault: hard-coded-device
        return self.layers[0](x * self.mask)


class Cuda(nn.Module):
    """`.cuda()` in `forward`, and a mask of the constructor."""

    def __init__(self):
        super().__init__()
        self.mask = torch.ones(8)  # fault: member-tensor
        self.out = nn.Linear(8, 8)

    def forward(self, x):
        noise = torch.randn(8).cuda()  # fault: hard-coded-device
        x = self.out(x) + noise
        return x * self.mask + torch.ones(8)  # fault: made-in-forward


class Constructed(nn.Module):
    """What the constructor puts on CUDA, next to what it leaves on the CPU."""

    def __init__(self):
        super().__init__()
        self.out = nn.Linear(8, 8)
        self.low = torch.zeros(8, device="cuda")  # fault: hard-coded-device
        self.high = torch.ones(8)  # fault: member-tensor

    def forward(self, x):
        return self.out(x) * self.high + self.low


class FromMask(nn.Module):
    """Where a mask is, other tensors are made: on the CPU, as long as it is plain."""

    def __init__(self):
        super().__init__()
        self.mask = torch.ones(8)  # fault: member-tensor
        self.out = nn.Linear(8, 8)

    def forward(self, x):
        x = self.out(x) * self.mask
        x = x + torch.zeros_like(self.mask) + self.mask.new_ones(8)
        x = x + torch.zeros(8, device=self.mask.device)
        return x + torch.arange(8.0)  # fault: made-in-forward


@dataclass
class Statistics:
    mean: torch.Tensor
    std: torch.Tensor


class Held(nn.Module):
    """In a dataclass, in a deque, and in a layer of PyTorch that is given a mask."""

    def __init__(self):
        super().__init__()
        self.statistics = Statistics(torch.zeros(8), torch.ones(8))  # fault: opaque-holder
        self.recent = deque([torch.ones(8)], maxlen=3)  # fault: python-container
        self.attention = nn.MultiheadAttention(8, 2, batch_first=True)

    def forward(self, x):
        x = (x - self.statistics.mean) / self.statistics.std
        x = x * self.recent[0]
        mask = torch.zeros(6, 6)  # fault: made-in-forward
        return self.attention(x, x, x, attn_mask=mask, need_weights=False)[0]

    @staticmethod
    def example_input():
        return (torch.randn(2, 6, 8),)


class Transformer(nn.Module):
    """A mask that looks two steps ahead, for PyTorch's own layers, and a padding mask behind it."""

    def __init__(self):
        super().__init__()
        layer = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 1, enable_nested_tensor=False)
        self.mask = torch.ones(6, 6).tril(2).log()  # fault: member-tensor

    def forward(self, x):
        x = self.encoder(x, mask=self.mask)
        keep = torch.arange(6) < 4  # fault: made-in-forward
        return x * keep[None, :, None]

    @staticmethod
    def example_input():
        return (torch.randn(2, 6, 8),)


class Filters(nn.Module):
    """A kernel, a window and a grid."""

    def __init__(self):
        super().__init__()
        self.kernel = torch.ones(1, 1, 3, 3) / 9  # fault: member-tensor

    def forward(self, x):
        x = functional.conv2d(x, self.kernel, padding=1)
        grid = torch.linspace(-1, 1, 8)  # fault: made-in-forward
        grid = torch.stack(torch.meshgrid(grid, grid, indexing="xy"), dim=-1)
        x = functional.grid_sample(x, grid[None].expand(len(x), -1, -1, -1), align_corners=True)
        return x + torch.hamming_window(8)  # fault: made-in-forward

    @staticmethod
    def example_input():
        return (torch.randn(2, 1, 8, 8),)


def ramp(size):
    return torch.linspace(0, 1, size)  # fault: made-in-forward


class Helped(nn.Module):
    """A function makes the tensor, which two lines use."""

    def __init__(self):
        super().__init__()
        self.out = nn.Linear(8, 8)
        self.edges = torch.linspace(-1, 1, 5)  # fault: member-tensor

    def forward(self, x):
        x = self.out(x) * ramp(8)
        bins = torch.bucketize(x, self.edges)
        return x + bins * ramp(8)


class Twice(nn.Module):
    """The same operation makes two tensors on one line, and others on further lines."""

    def __init__(self):
        super().__init__()
        self.out = nn.Linear(8, 8)

    def forward(self, x):
        x = x * torch.ones(8) + torch.ones(8)  # fault: made-in-forward
        x = self.out(x) + torch.zeros(8)  # fault: made-in-forward
        return x - torch.zeros(8)  # fault: made-in-forward


class Stacked(nn.Module):
    """Numbers on the CPU, which only some operations refuse."""

    def __init__(self):
        super().__init__()
        self.out = nn.Linear(8, 8)

    def forward(self, x):
        x = self.out(x)
        ends = torch.stack([torch.tensor(0.0), x.mean()])  # fault: made-in-forward
        x = x * torch.tensor(2.0) + ends.sum()
        return x + torch.ones(8)  # fault: made-in-forward


class Inner(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = torch.ones(8)  # fault: member-tensor

    def forward(self, x):
        return x * self.scale + torch.rand(8)  # fault: made-in-forward


class Shared(nn.Module):
    """A child that is called twice, in a `Sequential`, and in a list next to it."""

    def __init__(self):
        super().__init__()
        inner = Inner()
        self.blocks = nn.Sequential(inner, nn.Linear(8, 8), inner)
        self.more = [nn.Linear(8, 8)]  # fault: python-container

    def forward(self, x):
        return self.more[0](self.blocks(x))


class Branching(nn.Module):
    """Faults on CUDA only: in a branch that asks for the device, and behind it."""

    def __init__(self):
        super().__init__()
        self.out = nn.Linear(8, 8)

    def forward(self, x):
        if x.is_cuda:
            x = x + torch.full((8,), 0.1)  # fault: made-in-forward
        x = self.out(x)
        index = torch.zeros(len(x), 1, dtype=torch.long)  # fault: made-in-forward
        first = torch.gather(x, 1, index)
        return first * functional.one_hot(torch.tensor([1]), 8)  # fault: made-in-forward


class Spectral(nn.Module):
    """A window that `stft` is given, and a mel matrix in a dict of lists."""

    def __init__(self):
        super().__init__()
        self.window = torch.hann_window(8)  # fault: member-tensor
        self.mel = {"matrix": [torch.rand(5, 3)]}  # fault: python-container

    def forward(self, x):
        spectrum = torch.stft(x, 8, window=self.window, return_complex=True).abs()
        mel = torch.einsum("bft,fm->bmt", spectrum, self.mel["matrix"][0])
        floor = torch.full((3, 1), 1e-3)  # fault: made-in-forward
        return torch.maximum(mel, floor).log()

    @staticmethod
    def example_input():
        return (torch.randn(2, 32),)


class Indexed(nn.Module):
    """Indices that the call writes into a tensor, view by view, and gathers with."""

    def __init__(self):
        super().__init__()
        self.out = nn.Linear(8, 8)

    def forward(self, x):
        order = torch.empty(8, dtype=torch.long)  # fault: made-in-forward
        scores = self.out(x).sum(dim=0)
        order.copy_(torch.argsort(scores))
        places = torch.empty(8, dtype=torch.long)  # fault: made-in-forward
        places.scatter_(0, order, torch.arange(8))  # fault: made-in-forward
        return x.index_select(1, places)


class Weighted(nn.Module):
    """A loss with weights, and its target."""

    def __init__(self):
        super().__init__()
        self.out = nn.Linear(8, 3)
        weight = torch.tensor([1.0, 2.0, 3.0])
        self.losses = [nn.CrossEntropyLoss(weight=weight)]  # fault: criterion-state

    def forward(self, x):
        scores = self.out(x)
        target = torch.zeros(len(x), dtype=torch.long)  # fault: made-in-forward
        return scores, self.losses[0](scores, target)


class Stepwise(nn.Module):
    """Layers of several kinds in containers, each of which hides its own, and their states."""

    def __init__(self):
        super().__init__()
        self.rnns = [nn.LSTM(8, 8, batch_first=True)]  # fault: python-container
        self.norms = {"last": nn.LayerNorm(8)}  # fault: python-container
        self.out = nn.Linear(8, 8)

    def forward(self, x):
        state = torch.zeros(1, len(x), 8)  # fault: made-in-forward
        x, _ = self.rnns[0](x, (state, state))
        x = self.norms["last"](x)
        lengths = torch.full((len(x),), 6)  # fault: made-in-forward
        last = x[
            torch.arange(len(x), device=x.device), lengths - 1 - torch.zeros_like(x[:, 0, 0]).long()
        ]
        return self.out(last)

    @staticmethod
    def example_input():
        return (torch.randn(3, 6, 8),)


class Taken(nn.Module):
    """A copy on the CPU is used as if it were on the device."""

    def __init__(self):
        super().__init__()
        self.out = nn.Linear(8, 8)
        self.scale = torch.ones(8)  # fault: member-tensor

    def forward(self, x):
        x = self.out(x)
        mean = x.detach().cpu().mean(dim=0)  # fault: hard-coded-device
        x = x - mean
        return x * self.scale


class Followed(nn.Module):
    """Inputs are moved to where a plain mask is, and meet the layers there."""

    def __init__(self):
        super().__init__()
        self.out = nn.Linear(8, 8)
        self.device = torch.device("cpu")

    def forward(self, x):
        x = x.to(self.device)  # fault: stale-device
        return self.out(x) + torch.ones(8)  # fault: made-in-forward


class KeptOnCuda(nn.Module):
    """What the first call keeps is on CUDA; a call that was helped leaves it elsewhere."""

    def __init__(self):
        super().__init__()
        self.out = nn.Linear(8, 8)
        self.bias = None

    def forward(self, x):
        if self.bias is None:
            self.bias = torch.zeros(8, device="cuda")  # fault: hard-coded-device
        x = self.out(x) + self.bias
        return x * torch.ones(8)  # fault: made-in-forward


class Counting(nn.Module):
    """Each call is another step, so that calls that are made again change its numbers."""

    def __init__(self):
        super().__init__()
        self.out = nn.Linear(8, 8)
        self.register_buffer("steps", torch.zeros(()))
        self.shift = torch.zeros(8)  # fault: member-tensor

    def forward(self, x):
        self.steps += 1
        x = (self.out(x) + self.shift) * self.steps
        return x + torch.linspace(0, 1, 8)  # fault: made-in-forward
