"""Accepted answers to exercise 09c, and the mistakes learners make."""

import torch
from torch import nn


class Pool(nn.Module):
    """What all variants share."""

    def __init__(self, features, learned):
        super().__init__()
        self.score = nn.Linear(features, 1, bias=False) if learned else None

    def scores(self, words):
        if self.score is None:
            return words.new_zeros(words.shape[:2])
        return self.score(words).flatten(1)

    def forward(self, words, last):
        device = self.where(words)
        words, last = words.to(device), last.to(device)
        places = torch.arange(words.shape[1], device=device)
        scores = self.scores(words).masked_fill(places > last[:, None], float("-inf"))
        return (scores.softmax(dim=1)[:, :, None] * words).sum(dim=1)


class AsksItsWeight(Pool):
    """In a replica the weight is still an attribute."""

    def where(self, words):
        return words.device if self.score is None else self.score.weight.device


class Catches(Pool):
    """The same question, with the exception that it may raise."""

    def where(self, words):
        try:
            return next(self.parameters()).device
        except StopIteration:
            return words.device


class LooksFirst(Pool):
    """Without an exception."""

    def where(self, words):
        parameters = list(self.parameters())
        return parameters[0].device if parameters else words.device


class AnEmptyBuffer(Pool):
    """A buffer moves, and takes the words along where nothing is learned."""

    def __init__(self, features, learned):
        super().__init__(features, learned)
        self.register_buffer("here", torch.empty(0), persistent=False)

    def where(self, words):
        return self.here.device


class MovesWithWords(Pool):
    """Written out: words go to the weights, and `last` goes to the words."""

    def forward(self, words, last):
        if self.score is not None:
            words = words.to(self.score.weight.device)
        places = torch.arange(words.shape[1], device=words.device)
        beyond = places > last.to(words.device)[:, None]
        scores = self.scores(words).masked_fill(beyond, float("-inf"))
        return (scores.softmax(dim=1)[:, :, None] * words).sum(dim=1)


class FirstParameter(Pool):
    """As it was: raises in a replica, and without learned weights."""

    def where(self, words):
        return next(self.parameters()).device


class OnlyWhereLearned(Pool):
    """Half the work: a replica has a `score`, and no Parameters."""

    def where(self, words):
        return words.device if self.score is None else next(self.parameters()).device


class TheInputsDevice(Pool):
    """Survives replicas, and never moves a CPU batch to the weights."""

    def where(self, words):
        return words.device


class CudaElse(Pool):
    """Where there is nothing to ask, the machine's GPU: the CPU's words do not stay there."""

    def where(self, words):
        first = next(self.parameters(), None)
        return first.device if first is not None else torch.device("cuda")


class AlwaysCuda(Pool):
    """The first GPU, wherever the layer is."""

    def where(self, words):
        return torch.device("cuda")


class Remembers(Pool):
    """The device of the constructor."""

    def __init__(self, features, learned):
        super().__init__(features, learned)
        self.device = next(self.parameters(), torch.empty(0)).device

    def where(self, words):
        return self.device


class KeptWhenCalled(Pool):
    """Kept from the first call: a move changes nothing."""

    device = None

    def where(self, words):
        if self.device is None:
            self.device = next(self.parameters(), words).device
        return self.device


class ForgetsTheLast(Pool):
    """`last` comes from the CPU as well."""

    def forward(self, words, last):
        words = words.to(next(self.parameters(), words).device)
        places = torch.arange(words.shape[1], device=words.device)
        scores = self.scores(words).masked_fill(places > last[:, None], float("-inf"))
        return (scores.softmax(dim=1)[:, :, None] * words).sum(dim=1)


class HidesTheLast(Pool):
    """Every sentence loses its last word."""

    def forward(self, words, last):
        return super().forward(words, last - 1)

    def where(self, words):
        return next(self.parameters(), words).device


class CpuElse(Pool):
    """Without weights it brings the words to the CPU, wherever they are."""

    def where(self, words):
        return "cpu" if self.score is None else self.score.weight.device


ACCEPTED = ("AsksItsWeight", "Catches", "LooksFirst", "MovesWithWords")
ALSO_RIGHT = {
    "self.score.weight.device": "AsksItsWeight",
    "`words` is moved to the weights": "MovesWithWords",
}
MISTAKES = {
    "FirstParameter": "replica",
    "OnlyWhereLearned": "replica",
    "TheInputsDevice": "input-transfer",
    "CudaElse": "check forward",
    "AlwaysCuda": "check forward",
    "Remembers": "stale-device",
    "KeptWhenCalled": "stale-device",
    "ForgetsTheLast": "input-transfer",
    "HidesTheLast": "check forward",
    "CpuElse": "check forward",
    "AnEmptyBuffer": "check forward",
}
