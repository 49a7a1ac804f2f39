"""Accepted answers to exercise 09, and the mistakes learners make."""

import math

import torch
from torch import nn
from torch.nn.functional import scaled_dot_product_attention


def future(length, device=None):
    return torch.ones(length, length, dtype=torch.bool, device=device).triu(diagonal=1)


class Attention(nn.Module):
    """What all variants share."""

    def __init__(self, features):
        super().__init__()
        self.qkv = nn.Linear(features, 3 * features)
        self.scale = 1 / math.sqrt(features)

    def forward(self, x):
        query, key, value = self.qkv(x).chunk(3, dim=-1)
        scores = query @ key.transpose(1, 2) * self.scale
        scores = scores.masked_fill(self.mask(x), float("-inf"))
        return scores.softmax(dim=-1) @ value


class MadeEachTime(Attention):
    """No cache, no bug."""

    def mask(self, x):
        return future(x.shape[1], x.device)


class MovingBuffer(Attention):
    """A buffer that is not saved: what is assigned to its name stays a buffer."""

    def __init__(self, features):
        super().__init__(features)
        self.register_buffer("future", None, persistent=False)

    def mask(self, x):
        length = x.shape[1]
        if self.future is None or len(self.future) < length:
            self.future = future(length, x.device)
        return self.future[:length, :length]


class ByLengthAndDevice(Attention):
    """A dict with all that the mask depends on in its key."""

    def __init__(self, features):
        super().__init__(features)
        self.masks = {}

    def mask(self, x):
        key = x.shape[1], x.device
        if key not in self.masks:
            self.masks[key] = future(*key)
        return self.masks[key]


class LongEnough(Attention):
    """A buffer of a size that is enough, and a larger one if not."""

    def __init__(self, features):
        super().__init__(features)
        self.register_buffer("longest", future(8), persistent=False)

    def mask(self, x):
        length = x.shape[1]
        if length > len(self.longest):
            self.longest = future(length, x.device)
        return self.longest[:length, :length]


class GrowsFromOne(Attention):
    """A buffer that is not saved, and that each longer sequence replaces, in training too."""

    def __init__(self, features):
        super().__init__(features)
        self.register_buffer("future", future(1), persistent=False)

    def mask(self, x):
        length = x.shape[1]
        if length > len(self.future):
            self.future = future(length, self.future.device)
        return self.future[:length, :length]


class EmptyAtFirst(Attention):
    """A cache that asks for the device, and has no numbers before the first call."""

    def __init__(self, features):
        super().__init__(features)
        self.kept = torch.empty(0)

    def mask(self, x):
        length = x.shape[1]
        if length > len(self.kept) or self.kept.device != x.device:
            self.kept = future(length, x.device)
        return self.kept[:length, :length]


class NoMaskAtAll(Attention):
    """PyTorch's own attention makes the mask itself."""

    def forward(self, x):
        query, key, value = self.qkv(x).chunk(3, dim=-1)
        return scaled_dot_product_attention(query, key, value, is_causal=True)


class ByLength(Attention):
    """A dict that asks for the length alone."""

    def __init__(self, features):
        super().__init__(features)
        self.masks = {}

    def mask(self, x):
        length = x.shape[1]
        if length not in self.masks:
            self.masks[length] = future(length, x.device)
        return self.masks[length]


class MadeOnce(Attention):
    """Remembers where the first mask was, and makes all there."""

    def __init__(self, features):
        super().__init__(features)
        self.device = self.qkv.weight.device

    def mask(self, x):
        length = x.shape[1]
        every = torch.ones(length, length, dtype=torch.bool, device=self.device)
        return every.triu(diagonal=1)


class SavedOnceCalled(Attention):
    """It moves, and from the first call on it is in the checkpoint."""

    def __init__(self, features):
        super().__init__(features)
        self.register_buffer("future", None)

    mask = MovingBuffer.mask


class AsksForWhatItHasNot(Attention):
    """A module has no `device`, which shows in the second call."""

    def __init__(self, features):
        super().__init__(features)
        self.future = None

    def mask(self, x):
        length = x.shape[1]
        if self.future is None or len(self.future) < length or self.device != x.device:
            self.future = future(length, x.device)
        return self.future[:length, :length]


class MadeOnTheCpu(Attention):
    """No cache, but no device either."""

    def mask(self, x):
        return future(x.shape[1])


class MadeOnCuda(Attention):
    """On CUDA, wherever the layer is."""

    def mask(self, x):
        return future(x.shape[1], "cuda")


class PlainTable(Attention):
    """A table made once and for all, that nobody moves."""

    def __init__(self, features):
        super().__init__(features)
        self.longest = future(8)

    def mask(self, x):
        return self.longest[: x.shape[1], : x.shape[1]]


class SavedTable(Attention):
    """A buffer that is saved, so that older checkpoints no longer load."""

    def __init__(self, features):
        super().__init__(features)
        self.register_buffer("longest", future(8))

    def mask(self, x):
        return self.longest[: x.shape[1], : x.shape[1]]


class HidesItselfToo(Attention):
    """The diagonal belongs to the past."""

    def mask(self, x):
        length = x.shape[1]
        return torch.ones(length, length, dtype=torch.bool, device=x.device).triu(diagonal=2)


class BringsTheInput(Attention):
    """Goes to where the mask is, instead of bringing the mask."""

    def __init__(self, features):
        super().__init__(features)
        self.future = None

    def mask(self, x):
        length = x.shape[1]
        if self.future is None or len(self.future) < length:
            self.future = future(length, x.device)
        return self.future

    def forward(self, x):
        mask = self.mask(x)
        query, key, value = self.qkv(x).chunk(3, dim=-1)
        scores = query @ key.transpose(1, 2) * self.scale
        scores = scores.to(mask.device).masked_fill(mask, float("-inf"))
        return scores.softmax(dim=-1) @ value.to(mask.device)


class GrowsOnTheCpu(LongEnough):
    """A longer sentence gets a mask that nobody moves."""

    def mask(self, x):
        length = x.shape[1]
        if length > len(self.longest):
            self.longest = future(length)
        return self.longest[:length, :length]


class TableOfFixedLength(Attention):
    """Long enough, until a sequence is longer."""

    def mask(self, x):
        length = x.shape[1]
        return future(512, x.device)[:length, :length]


class FixedBuffer(Attention):
    """The same, made once."""

    def __init__(self, features):
        super().__init__(features)
        self.register_buffer("future", future(2048), persistent=False)

    def mask(self, x):
        return self.future[: x.shape[1], : x.shape[1]]


class ForgetsTheLength(Attention):
    """Asks for the device, and no longer for the length."""

    def __init__(self, features):
        super().__init__(features)
        self.future = None

    def mask(self, x):
        if self.future is None or self.future.device != x.device:
            self.future = future(x.shape[1], x.device)
        return self.future


ACCEPTED = (
    "MadeEachTime",
    "MovingBuffer",
    "ByLengthAndDevice",
    "LongEnough",
    "GrowsFromOne",
    "EmptyAtFirst",
    "NoMaskAtAll",
)
ALSO_RIGHT = {
    "Make a new mask in each call": "MadeEachTime",
    "its length and its device": "ByLengthAndDevice",
}
MISTAKES = {
    "ForgetsTheLength": "check forward",
    "ByLength": "stale-device",
    "GrowsOnTheCpu": "check forward",
    "MadeOnce": "stale-device",
    "SavedOnceCalled": "check state_dict",
    "AsksForWhatItHasNot": "check forward",
    "MadeOnTheCpu": "made-in-forward",
    "MadeOnCuda": "hard-coded-device",
    "PlainTable": "member-tensor",
    "SavedTable": "check state_dict",
    "HidesItselfToo": "check forward",
    "BringsTheInput": "check forward",
    "TableOfFixedLength": "check forward",
    "FixedBuffer": "check forward",
}
