"""Accepted answers to exercise 10, and the mistakes learners make."""

import torch
from torch import nn


class Scaler(nn.Module):
    """What all variants share."""

    def __init__(self, features):
        super().__init__()
        self.register_buffer("mean", torch.zeros(features))
        self.register_buffer("variance", torch.ones(features))

    def update(self, x):
        self.batches += 1
        self.mean += (x.mean(dim=0) - self.mean) / self.batches
        self.variance += (x.var(dim=0) - self.variance) / self.batches

    def forward(self, x):
        if self.training:
            self.update(x.detach())
        if self.batches == 0:
            return x
        return (x - self.mean) / self.variance.sqrt()


class BufferObject(Scaler):
    """The newer spelling."""

    def __init__(self, features):
        super().__init__(features)
        self.batches = nn.Buffer(torch.zeros((), dtype=torch.long))


class NewCountEachTime(Scaler):
    """Assigned anew: the name stays a buffer."""

    def __init__(self, features):
        super().__init__(features)
        self.register_buffer("batches", torch.zeros((), dtype=torch.int64))

    def update(self, x):
        self.batches = self.batches + 1
        self.mean = self.mean + (x.mean(dim=0) - self.mean) / self.batches
        self.variance = self.variance + (x.var(dim=0) - self.variance) / self.batches


class InPlace(Scaler):
    """Filled and interpolated in place."""

    def __init__(self, features):
        super().__init__(features)
        self.register_buffer("batches", torch.tensor(0))

    def update(self, x):
        self.batches.add_(1)
        self.mean.lerp_(x.mean(dim=0), 1 / self.batches.item())
        self.variance.lerp_(x.var(dim=0), 1 / self.batches.item())


class ANumberAgain(Scaler):
    """A flag instead of a count: still a Python value."""

    def __init__(self, features):
        super().__init__(features)
        self.register_buffer("batches", torch.tensor(0))
        self.ready = False

    def update(self, x):
        super().update(x)
        self.ready = True

    def forward(self, x):
        if self.training:
            self.update(x.detach())
        return (x - self.mean) / self.variance.sqrt() if self.ready else x


class NotSaved(Scaler):
    """A buffer, but one that no checkpoint holds."""

    def __init__(self, features):
        super().__init__(features)
        self.register_buffer("batches", torch.tensor(0), persistent=False)


class PlainTensor(Scaler):
    """A tensor, but no buffer."""

    def __init__(self, features):
        super().__init__(features)
        self.batches = torch.tensor(0)


class InAList(Scaler):
    """A list of one tensor is not looked into."""

    def __init__(self, features):
        super().__init__(features)
        self.counts = [torch.tensor(0)]

    @property
    def batches(self):
        return self.counts[0]

    @batches.setter
    def batches(self, value):
        self.counts[0] = value


class FrozenParameter(Scaler):
    """An integer Parameter, which may not even want a gradient."""

    def __init__(self, features):
        super().__init__(features)
        self.batches = nn.Parameter(torch.tensor(0))


class AlwaysReady(Scaler):
    """The question is gone, and so is the answer for a scaler that has seen nothing."""

    def __init__(self, features):
        super().__init__(features)
        self.register_buffer("batches", torch.tensor(0))

    def forward(self, x):
        if self.training:
            self.update(x.detach())
        return (x - self.mean) / self.variance.sqrt()


class OverwrittenByANumber(Scaler):
    """A buffer's name takes tensors only."""

    def __init__(self, features):
        super().__init__(features)
        self.register_buffer("batches", torch.tensor(0))

    def update(self, x):
        self.batches = int(self.batches) + 1
        self.mean += (x.mean(dim=0) - self.mean) / self.batches
        self.variance += (x.var(dim=0) - self.variance) / self.batches


class AShortInteger(Scaler):
    """32 bits are enough to count batches."""

    def __init__(self, features):
        super().__init__(features)
        self.register_buffer("batches", torch.tensor(0, dtype=torch.int32))


class SavedByItsOwnMethods(Scaler):
    """The count stays a number, which the module itself writes and reads."""

    def __init__(self, features):
        super().__init__(features)
        self.batches = 0

    def _save_to_state_dict(self, destination, prefix, keep_vars):
        super()._save_to_state_dict(destination, prefix, keep_vars)
        destination[prefix + "batches"] = torch.tensor(self.batches)

    def _load_from_state_dict(self, state_dict, prefix, *args):
        if prefix + "batches" in state_dict:
            self.batches = int(state_dict.pop(prefix + "batches"))
        super()._load_from_state_dict(state_dict, prefix, *args)


class SavedWithoutThePrefix(SavedByItsOwnMethods):
    """Right for the scaler alone, and lost where it is a part of a model."""

    def _save_to_state_dict(self, destination, prefix, keep_vars):
        super()._save_to_state_dict(destination, prefix, keep_vars)
        destination["batches"] = destination.pop(prefix + "batches")


class StartsAtOne(Scaler):
    """The first batch counts half."""

    def __init__(self, features):
        super().__init__(features)
        self.register_buffer("batches", torch.tensor(1))


class CountsInFloats(Scaler):
    """Above 16,777,216 a float32 no longer counts."""

    def __init__(self, features):
        super().__init__(features)
        self.register_buffer("batches", torch.tensor(0.0))


class ExtraState(Scaler):
    """Saved, but not under the name that the task gives."""

    def __init__(self, features):
        super().__init__(features)
        self.batches = 0

    def get_extra_state(self):
        return {"batches": self.batches}

    def set_extra_state(self, state):
        self.batches = state["batches"]


class AFlag(Scaler):
    """`batches` tells that there were some, and how many is forgotten."""

    def __init__(self, features):
        super().__init__(features)
        self.register_buffer("batches", torch.tensor(0))
        self.number = 0

    def update(self, x):
        self.number += 1
        self.batches.fill_(1)
        self.mean += (x.mean(dim=0) - self.mean) / self.number
        self.variance += (x.var(dim=0) - self.variance) / self.number


class AFlagBesides(Scaler):
    """A flag of its own says that there were some; a checkpoint may hold no more than three."""

    def __init__(self, features):
        super().__init__(features)
        self.register_buffer("batches", torch.tensor(0))
        self.seen = False

    def update(self, x):
        self.seen = True
        super().update(x)

    def forward(self, x):
        if self.training:
            self.update(x.detach())
        return (x - self.mean) / self.variance.sqrt() if self.seen else x


ACCEPTED = ("BufferObject", "NewCountEachTime", "InPlace", "AShortInteger", "SavedByItsOwnMethods")
ALSO_RIGHT = {
    "nn.Buffer(torch.tensor(0))": "BufferObject",
    "self.batches = self.batches + 1": "NewCountEachTime",
}
MISTAKES = {
    "SavedWithoutThePrefix": "check state_dict",
    "ANumberAgain": "lost-from-checkpoint",
    "NotSaved": "lost-from-checkpoint",
    "PlainTensor": "member-tensor",
    "InAList": "python-container",
    "FrozenParameter": "parameter-or-buffer",
    "AlwaysReady": "check forward",
    "OverwrittenByANumber": "registration-misuse",
    "StartsAtOne": "check buffers",
    "CountsInFloats": "check buffers",
    "ExtraState": "check state_dict",
    "AFlag": "check buffers",
    "AFlagBesides": "lost-from-checkpoint",
}
