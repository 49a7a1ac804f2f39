"""Attention and text: each fault is on the line that names its code, and there is no other."""

import math

import torch
from torch import nn
from torch.nn.functional import scaled_dot_product_attention
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

TEMPERATURE = torch.full((8,), 0.5)


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.mask = torch.ones(8)  # fault: member-tensor
        self.layers = [nn.Linear(8, 8) for _ in range(2)]  # fault: python-container
        self.out = nn.Linear(8, 8)
        self.positions = None

    def forward(self, x):
        if self.positions is None:
            self.positions = torch.arange(
                x.shape[0], device=x.device
            ).float()  # fault: stale-device
        x = x * self.mask
        for layer in self.layers:
            x = layer(x)
        x = x + torch.randn(8)  # fault: made-in-forward
        x = x + self.positions[:, None]
        bias = torch.zeros(8)
        bias.to(x.device)  # fault: to-result-dropped
        return self.out(x) + bias


class CausalAttention(nn.Module):
    """A mask that nobody registered, a bias that each call makes, and a hidden projection."""

    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(8, 24)
        self.causal = torch.tril(torch.ones(6, 6))  # fault: member-tensor
        self.projections = {"out": nn.Linear(8, 8)}  # fault: python-container

    def forward(self, x):
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        scores = torch.bmm(q, k.transpose(1, 2)) / math.sqrt(8)
        scores = scores.masked_fill(self.causal == 0, -1e9)
        distance = torch.arange(6)  # fault: made-in-forward
        bias = -(distance[None] - distance[:, None]).abs().float()
        return self.projections["out"](torch.softmax(scores + bias, dim=-1) @ v)

    @staticmethod
    def example_input():
        return (torch.randn(2, 6, 8),)


class FusedAttention(nn.Module):
    """Two operands of one fused call are misplaced, and its result meets a third tensor."""

    def __init__(self):
        super().__init__()
        self.query = nn.Linear(8, 8)
        self.memory = torch.randn(2, 5, 8)  # fault: member-tensor

    def forward(self, x):
        mask = torch.ones(6, 5, dtype=torch.bool)  # fault: made-in-forward
        seen = scaled_dot_product_attention(self.query(x), self.memory, self.memory, mask)
        gate = torch.sigmoid(torch.linspace(-1, 1, 8))  # fault: made-in-forward
        return seen * gate

    @staticmethod
    def example_input():
        return (torch.randn(2, 6, 8),)


class PackedEncoder(nn.Module):
    """The lengths went along with the batch, and the first state stayed on the CPU."""

    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(20, 8)
        self.rnn = nn.GRU(8, 8, batch_first=True)

    def forward(self, words, lengths):
        packed = pack_padded_sequence(  # fault: index-device
            self.embed(words), lengths, batch_first=True, enforce_sorted=False
        )
        state = torch.zeros(1, len(words), 8)  # fault: made-in-forward
        out, _ = self.rnn(packed, state)
        out, _ = pad_packed_sequence(out, batch_first=True, total_length=words.shape[1])
        weights = torch.linspace(0, 1, words.shape[1])  # fault: made-in-forward
        return torch.einsum("bth,t->bh", out, weights)

    @staticmethod
    def example_input():
        return torch.randint(0, 20, (3, 6)), torch.tensor([6, 2, 4])


class Recurrent(nn.Module):
    """The states of two LSTMs, one of which is in a tuple that the module keeps."""

    def __init__(self):
        super().__init__()
        self.first = nn.LSTM(8, 8)
        self.second = nn.LSTM(8, 8)
        self.start = (torch.zeros(1, 4, 8), torch.zeros(1, 4, 8))  # fault: python-container

    def forward(self, x):
        x, _ = self.first(x, self.start)
        h = torch.zeros(1, x.shape[1], 8)  # fault: made-in-forward
        c = torch.zeros(1, x.shape[1], 8)  # fault: made-in-forward
        x, _ = self.second(x, (h, c))
        return x

    @staticmethod
    def example_input():
        return (torch.randn(5, 4, 8),)


class Embedder(nn.Module):
    """The ids, a table in a list, and a global temperature."""

    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(20, 8)
        self.types = [nn.Embedding(2, 8)]  # fault: python-container
        self.position = nn.Embedding(6, 8)

    def forward(self, ids):
        where = torch.arange(ids.shape[1])  # fault: made-in-forward
        x = self.words(ids) + self.position(where)
        x = x + self.types[0](torch.zeros_like(ids))
        return x / TEMPERATURE  # fault: member-tensor

    @staticmethod
    def example_input():
        return (torch.randint(0, 20, (3, 6)),)


class BeamStep(nn.Module):
    """What is concatenated, and what `torch.where` chooses from, is made on the CPU."""

    def __init__(self):
        super().__init__()
        self.out = nn.Linear(8, 8)

    def forward(self, x):
        scores = self.out(x)
        start = torch.zeros(len(x), 1)  # fault: made-in-forward
        scores = torch.cat([start, scores], dim=1)
        floor = torch.full((9,), -1e4)  # fault: made-in-forward
        scores = torch.where(scores > 0, scores, floor)
        keep = torch.rand(9) > 0.1  # fault: made-in-forward
        return scores.masked_fill(keep, 0.0)


class RelativePositions(nn.Module):
    """One line has two faults, and one fault is met in three lines."""

    def __init__(self):
        super().__init__()
        self.scale = torch.ones(8)  # fault: member-tensor
        self.shift = torch.zeros(8)  # fault: member-tensor
        self.out = nn.Linear(8, 8)

    def forward(self, x):
        x = x * self.scale + self.shift
        x = self.out(x) * self.scale
        offsets = torch.arange(8.0)  # fault: made-in-forward
        x = x + offsets
        x = x - offsets.mean(dim=0, keepdim=True)
        return x * self.scale + offsets
