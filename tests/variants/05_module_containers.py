"""Accepted answers to exercise 05, and the mistakes learners make."""

from collections import OrderedDict
from copy import deepcopy

import torch
from torch import nn


def hidden_layers(features, hidden, depth):
    sizes = [features] + [hidden] * depth
    return [nn.Linear(sizes[i], sizes[i + 1]) for i in range(depth)]


class Looped(nn.Module):
    """What most variants share."""

    def forward(self, x):
        for layer in self.layers:
            x = torch.tanh(layer(x))
        return {task: head(x) for task, head in self.heads.items()}


class Sequence(nn.Module):
    """The activations are modules too, so the layers are numbered otherwise."""

    def __init__(self, features, hidden, depth, tasks):
        super().__init__()
        layers = []
        for layer in hidden_layers(features, hidden, depth):
            layers += [layer, nn.Tanh()]
        self.body = nn.Sequential(*layers)
        self.heads = nn.ModuleDict((task, nn.Linear(hidden, n)) for task, n in tasks.items())

    def forward(self, x):
        hidden = self.body(x)
        return {task: self.heads[task](hidden) for task in self.heads}


class ByHand(nn.Module):
    """Registered one by one, under names of one's own."""

    def __init__(self, features, hidden, depth, tasks):
        super().__init__()
        self.depth, self.tasks = depth, list(tasks)
        for i, layer in enumerate(hidden_layers(features, hidden, depth)):
            self.add_module(f"layer_{i}", layer)
        for task, outputs in tasks.items():
            setattr(self, f"head_{task}", nn.Linear(hidden, outputs))

    def forward(self, x):
        for i in range(self.depth):
            x = torch.tanh(getattr(self, f"layer_{i}")(x))
        return {task: getattr(self, f"head_{task}")(x) for task in self.tasks}


class OrderedHeads(Looped):
    """A ModuleDict from an OrderedDict, and a list appended to."""

    def __init__(self, features, hidden, depth, tasks):
        super().__init__()
        self.layers = nn.ModuleList()
        for layer in hidden_layers(features, hidden, depth):
            self.layers.append(layer)
        self.heads = nn.ModuleDict(OrderedDict((t, nn.Linear(hidden, n)) for t, n in tasks.items()))


class BareParameters(nn.Module):
    """No layers at all: weights and biases in PyTorch's parameter containers."""

    def __init__(self, features, hidden, depth, tasks):
        super().__init__()
        layers = hidden_layers(features, hidden, depth)
        self.weights = nn.ParameterList(layer.weight for layer in layers)
        self.biases = nn.ParameterList(layer.bias for layer in layers)
        self.heads = nn.ModuleDict({task: nn.Linear(hidden, n) for task, n in tasks.items()})

    def forward(self, x):
        for weight, bias in zip(self.weights, self.biases, strict=True):
            x = torch.tanh(x @ weight.T + bias)
        return {task: head(x) for task, head in self.heads.items()}


class ATuple(Looped):
    """A tuple is looked into no more than a list."""

    def __init__(self, features, hidden, depth, tasks):
        super().__init__()
        self.layers = tuple(hidden_layers(features, hidden, depth))
        self.heads = nn.ModuleDict({task: nn.Linear(hidden, n) for task, n in tasks.items()})


class OnlyTheLayers(Looped):
    """The heads are still in a dict."""

    def __init__(self, features, hidden, depth, tasks):
        super().__init__()
        self.layers = nn.ModuleList(hidden_layers(features, hidden, depth))
        self.heads = {task: nn.Linear(hidden, n) for task, n in tasks.items()}


class OnlyTheHeads(Looped):
    """The layers are still in a list."""

    def __init__(self, features, hidden, depth, tasks):
        super().__init__()
        self.layers = hidden_layers(features, hidden, depth)
        self.heads = nn.ModuleDict({task: nn.Linear(hidden, n) for task, n in tasks.items()})


class ListOfOneModuleList(Looped):
    """A ModuleList in a list is hidden like anything else in a list."""

    def __init__(self, features, hidden, depth, tasks):
        super().__init__()
        self.stacks = [nn.ModuleList(hidden_layers(features, hidden, depth))]
        self.heads = nn.ModuleDict({task: nn.Linear(hidden, n) for task, n in tasks.items()})

    @property
    def layers(self):
        return self.stacks[0]


class SkippedALayer(nn.Module):
    """All registered, but the first layer alone is used."""

    def __init__(self, features, hidden, depth, tasks):
        super().__init__()
        self.layers = nn.ModuleList(hidden_layers(features, hidden, depth))
        self.heads = nn.ModuleDict({task: nn.Linear(hidden, n) for task, n in tasks.items()})

    def forward(self, x):
        x = torch.tanh(self.layers[0](x))
        return {task: head(x) for task, head in self.heads.items()}


class ReturnsAList(Looped):
    """The heads lose their names."""

    def __init__(self, features, hidden, depth, tasks):
        super().__init__()
        self.layers = nn.ModuleList(hidden_layers(features, hidden, depth))
        self.heads = nn.ModuleDict({task: nn.Linear(hidden, n) for task, n in tasks.items()})

    def forward(self, x):
        return list(super().forward(x).values())


class CallsTheList(Looped):
    """A ModuleList is not called: it does not say in which order."""

    def __init__(self, features, hidden, depth, tasks):
        super().__init__()
        self.layers = nn.ModuleList(hidden_layers(features, hidden, depth))
        self.heads = nn.ModuleDict({task: nn.Linear(hidden, n) for task, n in tasks.items()})

    def forward(self, x):
        x = torch.tanh(self.layers(x))
        return {task: head(x) for task, head in self.heads.items()}


class ModuleListOfADict(Looped):
    """A ModuleList given a dict holds its keys, which are no modules."""

    def __init__(self, features, hidden, depth, tasks):
        super().__init__()
        self.layers = nn.ModuleList(hidden_layers(features, hidden, depth))
        self.heads = nn.ModuleList({task: nn.Linear(hidden, n) for task, n in tasks.items()})


class OneLayerManyTimes(Looped):
    """From the second on, all layers are the same one."""

    def __init__(self, features, hidden, depth, tasks):
        super().__init__()
        first, second = nn.Linear(features, hidden), nn.Linear(hidden, hidden)
        self.layers = nn.ModuleList([first] + [second] * (depth - 1))
        self.heads = nn.ModuleDict({task: nn.Linear(hidden, n) for task, n in tasks.items()})


class ThreeLayers(nn.Module):
    """As many layers as in the report, whatever the depth."""

    def __init__(self, features, hidden, depth, tasks):
        super().__init__()
        self.layers = nn.ModuleList(hidden_layers(features, hidden, 3))
        self.heads = nn.ModuleDict({task: nn.Linear(hidden, n) for task, n in tasks.items()})

    forward = Looped.forward


class CopyRegistered(Looped):
    """What is registered is a copy, and `forward` calls the layers themselves."""

    def __init__(self, features, hidden, depth, tasks):
        super().__init__()
        self.layers = hidden_layers(features, hidden, depth)
        self.stack = nn.ModuleList(deepcopy(layer) for layer in self.layers)
        self.heads = nn.ModuleDict({task: nn.Linear(hidden, n) for task, n in tasks.items()})


class HeadsInAnotherOrder(Looped):
    """In a list, and asked for in the order of the alphabet."""

    def __init__(self, features, hidden, depth, tasks):
        super().__init__()
        self.layers = nn.ModuleList(hidden_layers(features, hidden, depth))
        self.tasks = sorted(tasks)
        self.outputs = nn.ModuleList(nn.Linear(hidden, n) for n in tasks.values())

    @property
    def heads(self):
        return dict(zip(self.tasks, self.outputs, strict=True))


ACCEPTED = ("Sequence", "ByHand", "OrderedHeads", "BareParameters")
ALSO_RIGHT = {
    "nn.Sequential": "Sequence",
    "self.add_module(name, layer)": "ByHand",
}
MISTAKES = {
    "CopyRegistered": "python-container",
    "ATuple": "python-container",
    "OnlyTheLayers": "python-container",
    "OnlyTheHeads": "python-container",
    "ListOfOneModuleList": "python-container",
    "SkippedALayer": "check forward",
    "ReturnsAList": "check forward",
    "CallsTheList": "registration-misuse",
    "ModuleListOfADict": "registration-misuse",
    "OneLayerManyTimes": "check parameters",
    "ThreeLayers": "check forward",
    "HeadsInAnotherOrder": "check forward",
}
