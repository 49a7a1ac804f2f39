"""Accepted answers to exercise 09b, and the mistakes learners make."""

import torch
from torch import nn
from torch.nn.functional import pad

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


class Tagger(nn.Module):
    """What all variants share."""

    def __init__(self, words, longest, features, tags):
        super().__init__()
        self.words = nn.Embedding(words, features)
        self.places = nn.Embedding(longest, features)
        self.tags = nn.Linear(features, tags)

    def tag(self, embedded, padding):
        return self.tags(embedded + torch.cat([padding, embedded[:, :-1]], dim=1))


class FromAWeight(Tagger):
    """The device of a weight is the device of the model."""

    def forward(self, sentences):
        device = self.words.weight.device
        places = torch.arange(sentences.shape[1], device=device)
        embedded = self.words(sentences) + self.places(places)
        return self.tag(embedded, torch.zeros(len(sentences), 1, embedded.shape[2], device=device))


class AProperty(Tagger):
    """Asked anew each time."""

    @property
    def device(self):
        return self.words.weight.device

    def forward(self, sentences):
        places = torch.arange(sentences.shape[1], device=self.device)
        embedded = self.words(sentences.to(self.device)) + self.places(places)
        return self.tag(embedded, torch.zeros_like(embedded[:, :1]))


class NothingMade(Tagger):
    """The weights are sliced and the result padded, so nothing needs a device."""

    def forward(self, sentences):
        embedded = self.words(sentences) + self.places.weight[: sentences.shape[1]]
        return self.tags(embedded + pad(embedded[:, :-1], (0, 0, 1, 0)))


class ABuffer(Tagger):
    """All places, made once and moved with the rest."""

    def __init__(self, words, longest, features, tags):
        super().__init__(words, longest, features, tags)
        self.register_buffer("all_places", torch.arange(longest), persistent=False)

    def forward(self, sentences):
        places = self.all_places[: sentences.shape[1]]
        embedded = self.words(sentences) + self.places(places)
        return self.tag(embedded, torch.zeros_like(embedded[:, :1]))


class OnlyThePadding(Tagger):
    """Half the work: the remembered device is still there."""

    def __init__(self, words, longest, features, tags):
        super().__init__(words, longest, features, tags)
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

    def forward(self, sentences):
        places = torch.arange(sentences.shape[1], device=self.device)
        embedded = self.words(sentences) + self.places(places)
        return self.tag(embedded, torch.zeros_like(embedded[:, :1]))


class OnlyThePlaces(Tagger):
    """The other half: `.cuda()` is still there."""

    def forward(self, sentences):
        places = torch.arange(sentences.shape[1], device=sentences.device)
        embedded = self.words(sentences) + self.places(places)
        return self.tag(embedded, torch.zeros(len(sentences), 1, embedded.shape[2]).cuda())


class FromTheWeightOnce(Tagger):
    """Asks a weight, but in the constructor, before any move."""

    def __init__(self, words, longest, features, tags):
        super().__init__(words, longest, features, tags)
        self.device = self.words.weight.device

    def forward(self, sentences):
        places = torch.arange(sentences.shape[1], device=self.device)
        embedded = self.words(sentences) + self.places(places)
        return self.tag(embedded, torch.zeros_like(embedded[:, :1]))


class FromTheFirstCall(Tagger):
    """Asks the input, and only once."""

    def __init__(self, words, longest, features, tags):
        super().__init__(words, longest, features, tags)
        self.device = None

    def forward(self, sentences):
        self.device = self.device or sentences.device
        places = torch.arange(sentences.shape[1], device=self.device)
        embedded = self.words(sentences) + self.places(places)
        return self.tag(embedded, torch.zeros_like(embedded[:, :1]))


class NoDevice(Tagger):
    """Without a device, a tensor is made on the CPU."""

    def forward(self, sentences):
        embedded = self.words(sentences) + self.places(torch.arange(sentences.shape[1]))
        return self.tag(embedded, torch.zeros_like(embedded[:, :1]))


class GlobalDevice(Tagger):
    """A global constant is remembered just as well."""

    def forward(self, sentences):
        places = torch.arange(sentences.shape[1], device=DEVICE)
        embedded = self.words(sentences) + self.places(places)
        return self.tag(embedded, torch.zeros_like(embedded[:, :1]))


class IfOnCuda(Tagger):
    """Right on the CPU and on the first GPU, and wrong on the second."""

    def forward(self, sentences):
        places = torch.arange(sentences.shape[1])
        if sentences.is_cuda:
            places = places.cuda()
        embedded = self.words(sentences) + self.places(places)
        return self.tag(embedded, torch.zeros_like(embedded[:, :1]))


class WithoutPlaces(Tagger):
    """What is not there cannot be on the wrong device."""

    def forward(self, sentences):
        embedded = self.words(sentences)
        return self.tag(embedded, torch.zeros_like(embedded[:, :1]))


ACCEPTED = ("FromAWeight", "AProperty", "NothingMade", "ABuffer")
ALSO_RIGHT = {
    "A property that returns `self.words.weight.device`": "AProperty",
    "All places in a buffer": "ABuffer",
}
MISTAKES = {
    "OnlyThePadding": "stale-device",
    "OnlyThePlaces": "hard-coded-device",
    "FromTheWeightOnce": "stale-device",
    "FromTheFirstCall": "stale-device",
    "NoDevice": "made-in-forward",
    "GlobalDevice": "hard-coded-device",
    "IfOnCuda": "hard-coded-device",
    "WithoutPlaces": "check forward",
}
