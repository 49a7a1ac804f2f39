"""Accepted answers to exercise 07b, and the mistakes learners make."""

import torch
from torch import nn
from torch.nn.functional import cross_entropy, one_hot
from torch.utils.data import DataLoader, TensorDataset


class Evaluation(nn.Module):
    """What all variants share: the loop."""

    def __init__(self, features, kinds, batch_size):
        super().__init__()
        self.scores = nn.Linear(features, kinds)
        self.kinds, self.batch_size = kinds, batch_size

    @property
    def device(self):
        return self.scores.weight.device

    def batches(self, flowers, kinds):
        for batch, true in DataLoader(TensorDataset(flowers, kinds), self.batch_size):
            yield batch.to(self.device), true.to(self.device)

    def zeros(self, *shape):
        return torch.zeros(shape, device=self.device)

    def count(self, counts, true, taken_for):
        ones = torch.ones(len(true), device=true.device)
        return counts.index_put((true, taken_for), ones, accumulate=True)

    @torch.no_grad()
    def forward(self, flowers, kinds):
        counts, loss = self.zeros(self.kinds, self.kinds), self.zeros()
        for batch, true in self.batches(flowers, kinds):
            scores = self.scores(batch)
            counts = self.count(counts, true, scores.argmax(dim=1))
            loss = loss + cross_entropy(scores, true, reduction="sum")
        return counts, loss / len(flowers)


class NewZeros(Evaluation):
    """What gathers is made of the weight."""

    def zeros(self, *shape):
        return self.scores.weight.new_zeros(shape)


class ByMultiplying(Evaluation):
    """Two tables of zeros and ones, multiplied: nothing is made from a number."""

    def count(self, counts, true, taken_for):
        true, taken_for = (one_hot(kinds, self.kinds).float() for kinds in (true, taken_for))
        return counts + true.T @ taken_for


class ByPairs(Evaluation):
    """Each pair of kinds is one number, and `bincount` counts those."""

    def count(self, counts, true, taken_for):
        pairs = torch.bincount(true * self.kinds + taken_for, minlength=self.kinds**2)
        return counts + pairs.view(self.kinds, self.kinds)


class Collated(Evaluation):
    """The loader moves what it collates."""

    def batches(self, flowers, kinds):
        def collate(pairs):
            return [torch.stack(part).to(self.device) for part in zip(*pairs, strict=True)]

        yield from DataLoader(TensorDataset(flowers, kinds), self.batch_size, collate_fn=collate)


class NoLoader(Evaluation):
    """Slices instead of a loader."""

    def batches(self, flowers, kinds):
        for batch, true in zip(
            flowers.split(self.batch_size), kinds.split(self.batch_size), strict=True
        ):
            yield batch.to(self.device), true.to(self.device)


class InferenceMode(Evaluation):
    """The stricter form of the same."""

    @torch.inference_mode()
    def forward(self, flowers, kinds):
        return super().forward(flowers, kinds)


class CountedOnTheCpu(Evaluation):
    """The layer computes there; what is counted is counted here, and brought over at the end."""

    @torch.no_grad()
    def forward(self, flowers, kinds):
        counts, loss = torch.zeros(self.kinds, self.kinds), torch.zeros(())
        for batch, true in DataLoader(TensorDataset(flowers, kinds), self.batch_size):
            scores = self.scores(batch.to(self.device))
            counts = self.count(counts, true, scores.argmax(dim=1).cpu())
            loss = loss + cross_entropy(scores, true.to(self.device), reduction="sum").cpu()
        return counts.to(self.device), (loss / len(flowers)).to(self.device)


class LabelsStay(Evaluation):
    """Only what the layer needs is moved."""

    def batches(self, flowers, kinds):
        for batch, true in DataLoader(TensorDataset(flowers, kinds), self.batch_size):
            yield batch.to(self.device), true


class MovedWhole(NoLoader):
    """As if the data set were small."""

    def forward(self, flowers, kinds):
        return super().forward(flowers.to(self.device), kinds.to(self.device))


class LargerBatches(Evaluation):
    """A batch of a size of its own, which may not fit."""

    def __init__(self, features, kinds, batch_size):
        super().__init__(features, kinds, 64)


class ResultDropped(Evaluation):
    """The copies are thrown away."""

    def batches(self, flowers, kinds):
        for batch, true in DataLoader(TensorDataset(flowers, kinds), self.batch_size):
            batch.to(self.device)
            true.to(self.device)
            yield batch, true


class ZerosOnTheCpu(Evaluation):
    """The batches are moved, and what gathers is not."""

    def zeros(self, *shape):
        return torch.zeros(shape)


class OnesOnTheCpu(Evaluation):
    """One line of the loop is forgotten."""

    def count(self, counts, true, taken_for):
        return counts.index_put((true, taken_for), torch.ones(len(true)), accumulate=True)


class AlwaysCuda(Evaluation):
    """Right on the first GPU alone."""

    @property
    def device(self):
        return "cuda"


class BroughtBack(Evaluation):
    """All that gathers is kept on the CPU, and given there."""

    def zeros(self, *shape):
        return torch.zeros(shape)

    def count(self, counts, true, taken_for):
        return super().count(counts, true.cpu(), taken_for.cpu())

    def forward(self, flowers, kinds):
        counts, loss = self.zeros(self.kinds, self.kinds), self.zeros()
        for batch, true in self.batches(flowers, kinds):
            scores = self.scores(batch)
            counts = self.count(counts, true, scores.argmax(dim=1))
            loss = loss + cross_entropy(scores, true, reduction="sum").cpu()
        return counts, loss / len(flowers)


class LastBatchOnly(Evaluation):
    """The counts start from zero with each batch."""

    def count(self, counts, true, taken_for):
        return super().count(torch.zeros_like(counts), true, taken_for)


class DetachedLoss(Evaluation):
    """With gradients, but what gathers does not remember what it was computed from."""

    def forward(self, flowers, kinds):
        counts, loss = self.zeros(self.kinds, self.kinds), self.zeros()
        for batch, true in self.batches(flowers, kinds):
            scores = self.scores(batch).detach()
            counts = self.count(counts, true, scores.argmax(dim=1))
            loss = loss + cross_entropy(scores, true, reduction="sum")
        return counts, loss / len(flowers)


class LongerNames(Evaluation):
    """The loop variables keep the previous batch alive while the next one moves."""

    @torch.no_grad()
    def forward(self, flowers, kinds):
        counts, loss = self.zeros(self.kinds, self.kinds), self.zeros()
        for batch, true in DataLoader(TensorDataset(flowers, kinds), self.batch_size):
            batch_there, true_there = batch.to(self.device), true.to(self.device)
            scores = self.scores(batch_there)
            counts = self.count(counts, true_there, scores.argmax(dim=1))
            loss = loss + cross_entropy(scores, true_there, reduction="sum")
        return counts, loss / len(flowers)


class KeepsTheGraph(Evaluation):
    """With gradients on, the loss remembers every batch that it was computed from."""

    def forward(self, flowers, kinds):
        counts, loss = self.zeros(self.kinds, self.kinds), self.zeros()
        for batch, true in self.batches(flowers, kinds):
            scores = self.scores(batch)
            counts = self.count(counts, true, scores.argmax(dim=1))
            loss = loss + cross_entropy(scores, true, reduction="sum")
        return counts, loss / len(flowers)


class ListFirst(Evaluation):
    """All batches are brought there before the first is looked at."""

    def batches(self, flowers, kinds):
        return list(super().batches(flowers, kinds))


class TwoAtATime(Evaluation):
    """Two batches in each round."""

    def batches(self, flowers, kinds):
        loaded = list(DataLoader(TensorDataset(flowers, kinds), self.batch_size))
        for i in range(0, len(loaded), 2):
            there = [(b.to(self.device), t.to(self.device)) for b, t in loaded[i : i + 2]]
            yield from there


class JoinedThere(Evaluation):
    """Batch by batch, to one tensor on the GPU."""

    def batches(self, flowers, kinds):
        batches = list(super().batches(flowers, kinds))
        yield tuple(torch.cat(part) for part in zip(*batches, strict=True))


class GrowsThere(Evaluation):
    """The scores are computed for all that came so far."""

    def batches(self, flowers, kinds):
        there = None
        for batch, true in super().batches(flowers, kinds):
            there = batch if there is None else torch.cat([there, batch])
            yield there[-len(batch) :], true


class FilledThere(Evaluation):
    """Room for the whole data set, filled batch by batch."""

    def batches(self, flowers, kinds):
        there, start = torch.empty(flowers.shape, device=self.device), 0
        for batch, true in DataLoader(TensorDataset(flowers, kinds), self.batch_size):
            there[start : start + len(batch)] = batch
            yield there[start : start + len(batch)], true.to(self.device)
            start += len(batch)


class WaitsForTheGpu(Evaluation):
    """Right on a machine with a GPU, wherever the model is there."""

    def count(self, counts, true, taken_for):
        torch.cuda.synchronize()
        return super().count(counts, true, taken_for)


ACCEPTED = (
    "NewZeros",
    "ByMultiplying",
    "ByPairs",
    "Collated",
    "NoLoader",
    "InferenceMode",
    "DetachedLoss",
    "LongerNames",
    "CountedOnTheCpu",
)
ALSO_RIGHT = {
    "torch.bincount": "ByPairs",
    "self.scores.weight.new_zeros(...)": "NewZeros",
}
MISTAKES = {
    "LabelsStay": "input-transfer",
    "MovedWhole": "check forward",
    "ResultDropped": "to-result-dropped",
    "ZerosOnTheCpu": "made-in-forward",
    "OnesOnTheCpu": "made-in-forward",
    "AlwaysCuda": "hard-coded-device",
    "BroughtBack": "made-in-forward",
    "LargerBatches": "check forward",
    "LastBatchOnly": "check forward",
    "KeepsTheGraph": "check forward",
    "ListFirst": "check forward",
    "TwoAtATime": "check forward",
    "JoinedThere": "check forward",
    "GrowsThere": "check forward",
    "FilledThere": "check forward",
    "WaitsForTheGpu": "check forward",
}
