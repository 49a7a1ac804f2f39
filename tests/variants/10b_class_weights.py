"""Accepted answers to exercise 10b, and the mistakes learners make."""

import torch
from torch import nn
from torch.nn.functional import cross_entropy


def rarity(counts):
    return torch.tensor([sum(counts) / (len(counts) * count) for count in counts])


class Cells(nn.Module):
    """What all variants share."""

    def __init__(self, pixels, counts):
        super().__init__()
        self.hidden = nn.Linear(pixels, 5)
        self.scores = nn.Linear(5, len(counts))
        self.keep(rarity(counts))

    def forward(self, images, kinds):
        scores = self.scores(torch.relu(self.hidden(images)))
        return scores, self.loss(scores, kinds)


class AnAttribute(Cells):
    """The loss is an ordinary child."""

    def keep(self, weights):
        self.loss = nn.CrossEntropyLoss(weight=weights)


class ABuffer(Cells):
    """The weights belong to the model, and the loss is a function."""

    def keep(self, weights):
        self.register_buffer("rarity", weights)

    def loss(self, scores, kinds):
        return cross_entropy(scores, kinds, weight=self.rarity)


class AModuleList(Cells):
    """Several losses, by number."""

    def keep(self, weights):
        self.losses = nn.ModuleList([nn.CrossEntropyLoss(weight=weights)])

    def loss(self, scores, kinds):
        return sum(loss(scores, kinds) for loss in self.losses)


class AList(Cells):
    """A list hides as well as a dict."""

    def keep(self, weights):
        self.losses = [nn.CrossEntropyLoss(weight=weights)]

    def loss(self, scores, kinds):
        return self.losses[0](scores, kinds)


class PlainWeights(Cells):
    """Without the loss, the weights are a plain tensor."""

    def keep(self, weights):
        self.rarity = weights

    def loss(self, scores, kinds):
        return cross_entropy(scores, kinds, weight=self.rarity)


class MovedInForward(Cells):
    """Runs on CUDA, and is still not saved."""

    def keep(self, weights):
        self.rarity = weights

    def loss(self, scores, kinds):
        return cross_entropy(scores, kinds, weight=self.rarity.to(scores.device))


class NotSaved(Cells):
    """Moves, but is in no checkpoint."""

    def keep(self, weights):
        self.register_buffer("rarity", weights, persistent=False)

    def loss(self, scores, kinds):
        return cross_entropy(scores, kinds, weight=self.rarity)


class TrainedWeights(Cells):
    """As a Parameter they are trained, and the loss makes itself small."""

    def keep(self, weights):
        self.rarity = nn.Parameter(weights)

    def loss(self, scores, kinds):
        losses = cross_entropy(scores, kinds, reduction="none") * self.rarity[kinds]
        return losses.sum() / self.rarity[kinds].sum()


class TrainedBuffer(Cells):
    """A buffer that gets a gradient, for nobody."""

    def keep(self, weights):
        self.register_buffer("rarity", nn.Parameter(weights))

    def loss(self, scores, kinds):
        return cross_entropy(scores, kinds, weight=self.rarity)


class NoWeights(Cells):
    """All kinds count the same: another loss."""

    def keep(self, weights):
        self.register_buffer("rarity", weights)

    def loss(self, scores, kinds):
        return cross_entropy(scores, kinds)


class OnCuda(Cells):
    """Weights on CUDA, wherever the model is."""

    def keep(self, weights):
        self.losses = [nn.CrossEntropyLoss(weight=weights.cuda())]

    def loss(self, scores, kinds):
        return self.losses[0](scores, kinds)


class CountsKept(Cells):
    """The counts are saved, and the weights follow from them."""

    def __init__(self, pixels, counts):
        super().__init__(pixels, counts)
        self.register_buffer("counts", torch.tensor(counts))

    def keep(self, weights):
        pass

    def loss(self, scores, kinds):
        weights = self.counts.sum() / (len(self.counts) * self.counts)
        return cross_entropy(scores, kinds, weight=weights)


class WeightsOfOneDataSet(Cells):
    """The weights that the report's counts give, whatever the counts."""

    def keep(self, weights):
        self.loss = nn.CrossEntropyLoss(weight=torch.tensor([2 / 3, 10 / 3, 5 / 6]))


class SavedAndNotUsed(Cells):
    """A checkpoint holds the weights, and the loss uses others."""

    def __init__(self, pixels, counts):
        super().__init__(pixels, counts)
        self.counts = counts

    def keep(self, weights):
        self.register_buffer("rarity", weights)

    def loss(self, scores, kinds):
        return cross_entropy(scores, kinds, weight=rarity(self.counts).to(scores.device))


class MovedByHand(Cells):
    """The buffer and the loss share their memory, until the first move parts them."""

    def keep(self, weights):
        self.register_buffer("rarity", weights)
        self.losses = {"kind": nn.CrossEntropyLoss(weight=weights)}

    def loss(self, scores, kinds):
        return self.losses["kind"].to(scores.device)(scores, kinds)


class LossOnCuda(Cells):
    """Right after any move; as it is built, the loss is somewhere else than the layers."""

    def keep(self, weights):
        self.loss = nn.CrossEntropyLoss(weight=weights)
        if torch.cuda.is_available():
            self.loss.cuda()


class BuiltOnCuda(Cells):
    """The same with a buffer."""

    def keep(self, weights):
        self.register_buffer("rarity", weights.to("cuda"))

    def loss(self, scores, kinds):
        return cross_entropy(scores, kinds, weight=self.rarity)


ACCEPTED = ("AnAttribute", "ABuffer", "AModuleList", "CountsKept")
ALSO_RIGHT = {
    "The weights as a buffer of the model": "ABuffer",
    "nn.ModuleList": "AModuleList",
}
MISTAKES = {
    "AList": "criterion-state",
    "PlainWeights": "member-tensor",
    "MovedInForward": "member-tensor",
    "NotSaved": "check state_dict",
    "TrainedWeights": "parameter-or-buffer",
    "TrainedBuffer": "parameter-or-buffer",
    "NoWeights": "check forward",
    "OnCuda": "hard-coded-device",
    "WeightsOfOneDataSet": "check forward",
    "SavedAndNotUsed": "check state_dict",
    "MovedByHand": "check state_dict",
    "LossOnCuda": "check forward",
    "BuiltOnCuda": "check forward",
}
