"""Accepted answers to exercise 07, and the mistakes learners make."""

import torch
from torch import nn
from torch.nn.functional import cross_entropy
from torch.utils._pytree import tree_map


class Step(nn.Module):
    """What all variants share."""

    def __init__(self, features, classes):
        super().__init__()
        self.left = nn.Linear(features, classes)
        self.right = nn.Linear(features, classes)

    def forward(self, rows):
        left, right, labels = rows
        batch = self.to_device({"views": (left, right), "labels": labels})
        left, right = batch["views"]
        scores = self.left(left) + self.right(right)
        return scores, cross_entropy(scores, batch["labels"])


class TreeMapped(Step):
    """PyTorch's own walk through containers."""

    def to_device(self, batch):
        device = self.left.weight.device
        return tree_map(lambda leaf: leaf.to(device) if torch.is_tensor(leaf) else leaf, batch)


class OneLevelMore(Step):
    """Knows that there are tuples in the dict."""

    def to_device(self, batch):
        device = next(self.parameters()).device
        moved = {}
        for name, part in batch.items():
            if isinstance(part, tuple):
                moved[name] = tuple(tensor.to(device) for tensor in part)
            else:
                moved[name] = part.to(device)
        return moved


class FunctionInside(Step):
    """A recursive function of its own."""

    def to_device(self, batch):
        def move(part):
            if isinstance(part, dict):
                return {name: move(value) for name, value in part.items()}
            if isinstance(part, (list, tuple)):
                return [move(value) for value in part]
            return part.to(self.right.bias.device)

        return move(batch)


class ByName(Step):
    """Each part by its name: right, though not for the batch of next month."""

    def to_device(self, batch):
        device = self.left.weight.device
        left, right = batch["views"]
        return {"views": (left.to(device), right.to(device)), "labels": batch["labels"].to(device)}


class OnlyTheFirstView(Step):
    """Half of the tuple."""

    def to_device(self, batch):
        device = self.left.weight.device
        left, right = batch["views"]
        return {"views": (left.to(device), right), "labels": batch["labels"].to(device)}


class ForgetsTheLabels(Step):
    """The views are moved, and the labels are no tuple."""

    def to_device(self, batch):
        device = self.left.weight.device
        moved = {name: part for name, part in batch.items() if torch.is_tensor(part)}
        moved["views"] = tuple(view.to(device) for view in batch["views"])
        return moved


class ResultsDropped(Step):
    """Moves every leaf, and keeps none of the copies."""

    def to_device(self, batch):
        device = self.left.weight.device
        for view in batch["views"]:
            view.to(device)
        batch["labels"].to(device)
        return batch


class AlwaysToCuda(Step):
    """Every leaf, but to CUDA, wherever the model is."""

    def to_device(self, batch):
        return tree_map(lambda leaf: leaf.to("cuda"), batch)


class RemembersTheDevice(Step):
    """Every leaf, but to where the model was first."""

    def __init__(self, features, classes):
        super().__init__(features, classes)
        self.device = self.left.weight.device

    def to_device(self, batch):
        return tree_map(lambda leaf: leaf.to(self.device), batch)


class SwapsTheViews(Step):
    """Everything moved, in another order."""

    def to_device(self, batch):
        device = self.left.weight.device
        left, right = (view.to(device) for view in batch["views"])
        return {"views": (right, left), "labels": batch["labels"].to(device)}


ACCEPTED = ("TreeMapped", "OneLevelMore", "FunctionInside", "ByName")
ALSO_RIGHT = {
    "torch.utils._pytree.tree_map": "TreeMapped",
    "Each part by its name": "ByName",
}
MISTAKES = {
    "OnlyTheFirstView": "input-transfer",
    "ForgetsTheLabels": "input-transfer",
    "ResultsDropped": "to-result-dropped",
    "AlwaysToCuda": "hard-coded-device",
    "RemembersTheDevice": "check forward",
    "SwapsTheViews": "check forward",
}
