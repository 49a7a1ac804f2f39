"""Accepted answers to exercise 03b, and the mistakes learners make."""

import torch
from torch import nn


def tables(longest):
    """Which words come later, and how far each is from each."""
    places = torch.arange(longest)
    return places[:, None] < places, (places[:, None] - places).clamp(min=0)


class Block(nn.Module):
    """What all variants share."""

    def __init__(self, features, heads, longest):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(features, 3 * features)
        self.out = nn.Linear(features, features)
        self.nearness = nn.Embedding(longest, heads)
        self.keep(*tables(longest))

    def tables_for(self, words):
        return self.future, self.distance

    def forward(self, words):
        batch, length, features = words.shape
        split = self.qkv(words).view(batch, length, 3, self.heads, features // self.heads)
        query, key, value = split.permute(2, 0, 3, 1, 4)
        future, distance = self.tables_for(words)
        nearness = self.nearness(distance[:length, :length]).permute(2, 0, 1)
        scores = query @ key.transpose(-1, -2) + nearness
        scores = scores.masked_fill(future[:length, :length], float("-inf"))
        seen = scores.softmax(dim=-1) @ value
        return words + self.out(seen.transpose(1, 2).reshape(batch, length, features))


class BufferObjects(Block):
    """The newer spelling."""

    def keep(self, future, distance):
        self.future = nn.Buffer(future, persistent=False)
        self.distance = nn.Buffer(distance, persistent=False)


class OneTable(Block):
    """What is later has no distance, and is marked by -1."""

    def keep(self, future, distance):
        self.register_buffer("both", distance.masked_fill(future, -1), persistent=False)

    def tables_for(self, words):
        return self.both < 0, self.both.clamp(min=0)


class MadeInForward(Block):
    """Nothing is kept at all."""

    def keep(self, future, distance):
        pass

    def tables_for(self, words):
        here = torch.arange(words.shape[1], device=words.device)
        return here[:, None] < here, (here[:, None] - here).clamp(min=0)


class AddedMask(Block):
    """Minus infinity where a word comes later: added to the scores, not filled in."""

    def keep(self, future, distance):
        mask = torch.zeros(future.shape).masked_fill(future, float("-inf"))
        self.register_buffer("mask", mask, persistent=False)
        self.register_buffer("distance", distance, persistent=False)

    def tables_for(self, words):
        return self.mask < 0, self.distance


class OnlyTheMask(Block):
    """Half the work: the error named the other table first."""

    def keep(self, future, distance):
        self.register_buffer("future", future, persistent=False)
        self.distance = distance


class Saved(Block):
    """Registered as in notebook 03: moves, but is in the checkpoint."""

    def keep(self, future, distance):
        self.register_buffer("future", future)
        self.register_buffer("distance", distance)


class FrozenParameters(Block):
    """Moves as well; but a Parameter is saved, and looks like a weight."""

    def keep(self, future, distance):
        self.future = nn.Parameter(future, requires_grad=False)
        self.distance = nn.Parameter(distance, requires_grad=False)


class IntegerParameter(Block):
    """A mask cannot require a gradient: the constructor raises."""

    def keep(self, future, distance):
        self.future = nn.Parameter(future)
        self.register_buffer("distance", distance, persistent=False)


class ResultDropped(Block):
    """Moved in each call, and the copies are thrown away."""

    def keep(self, future, distance):
        self.future, self.distance = future, distance

    def tables_for(self, words):
        self.future.to(words.device)
        self.distance.to(words.device)
        return self.future, self.distance


class MovedInForward(Block):
    """Runs, copies in each call, and the module still does not know the tables."""

    def keep(self, future, distance):
        self.future, self.distance = future, distance

    def tables_for(self, words):
        return self.future.to(words.device), self.distance.to(words.device)


class OnCuda(Block):
    """Put on CUDA by hand, wherever the module is."""

    def keep(self, future, distance):
        self.future, self.distance = future.cuda(), distance.cuda()


class InADict(Block):
    """A dict of tensors is not looked into."""

    def keep(self, future, distance):
        self.tables = {"future": future, "distance": distance}

    def tables_for(self, words):
        return self.tables["future"], self.tables["distance"]


class MadeOnTheFirstCall(Block):
    """Made where the first batch was, and used wherever the later ones are."""

    def keep(self, future, distance):
        self.kept = None

    def tables_for(self, words):
        if self.kept is None:
            longest = self.nearness.num_embeddings
            self.kept = [table.to(words.device) for table in tables(longest)]
        return self.kept


class AssignedToo(Block):
    """Assigned first: then the name is taken, and registering raises."""

    def keep(self, future, distance):
        self.future = future
        self.register_buffer("future", self.future, persistent=False)
        self.register_buffer("distance", distance, persistent=False)


class MovesAndGivesNothing(Block):
    """Both tables are moved, and `model.to(device)` is None."""

    def keep(self, future, distance):
        self.future, self.distance = future, distance

    def _apply(self, fn, recurse=True):
        super()._apply(fn, recurse)
        self.future, self.distance = fn(self.future), fn(self.distance)


ACCEPTED = ("BufferObjects", "OneTable", "AddedMask", "MadeInForward")
ALSO_RIGHT = {
    "nn.Buffer(places[:, None] < places, persistent=False)": "BufferObjects",
    "Making both tables in `forward`": "MadeInForward",
}
MISTAKES = {
    "MovesAndGivesNothing": "to-override",
    "OnlyTheMask": "member-tensor",
    "Saved": "check state_dict",
    "FrozenParameters": "check state_dict",
    "IntegerParameter": "parameter-or-buffer",
    "ResultDropped": "to-result-dropped",
    "MovedInForward": "member-tensor",
    "OnCuda": "hard-coded-device",
    "InADict": "python-container",
    "MadeOnTheFirstCall": "stale-device",
    "AssignedToo": "registration-misuse",
}
