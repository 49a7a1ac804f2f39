"""Accepted answers to exercise 05b, and the mistakes learners make."""

import torch
from torch import nn


def new_factors(features, rank):
    return [0.1 * torch.randn(features, rank), 0.1 * torch.randn(rank, features)]


class Adapter(nn.Module):
    """What most variants share."""

    def forward(self, x):
        down, up = self.factors
        corrected = x + x @ down @ up
        return {task: corrected * self.gains[task] + self.shifts[task] for task in self.gains}


class WrappedInPlace(Adapter):
    """The starter's list and dicts, each handed to a container."""

    def __init__(self, features, rank, tasks):
        super().__init__()
        shapes = [(features, rank), (rank, features)]
        self.factors = nn.ParameterList([nn.Parameter(0.1 * torch.randn(s)) for s in shapes])
        self.gains = nn.ParameterDict({t: nn.Parameter(torch.ones(features)) for t in tasks})
        self.shifts = nn.ParameterDict({t: nn.Parameter(torch.zeros(features)) for t in tasks})


class FilledLater(Adapter):
    """Empty containers first, then one Parameter after the other."""

    def __init__(self, features, rank, tasks):
        super().__init__()
        self.factors = nn.ParameterList()
        for factor in new_factors(features, rank):
            self.factors.append(nn.Parameter(factor))
        self.gains, self.shifts = nn.ParameterDict(), nn.ParameterDict()
        for task in tasks:
            self.gains[task] = nn.Parameter(torch.ones(features))
            self.shifts[task] = nn.Parameter(torch.zeros(features))


class ByHand(nn.Module):
    """Registered one by one, under names of one's own."""

    def __init__(self, features, rank, tasks):
        super().__init__()
        self.tasks = list(tasks)
        down, up = new_factors(features, rank)
        self.down, self.up = nn.Parameter(down), nn.Parameter(up)
        for task in tasks:
            self.register_parameter(f"gain_{task}", nn.Parameter(torch.ones(features)))
            setattr(self, f"shift_{task}", nn.Parameter(torch.zeros(features)))

    def forward(self, x):
        corrected = x + x @ self.down @ self.up
        return {
            task: corrected * getattr(self, f"gain_{task}") + getattr(self, f"shift_{task}")
            for task in self.tasks
        }


class Affine(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(features))
        self.shift = nn.Parameter(torch.zeros(features))

    def forward(self, x):
        return x * self.gain + self.shift


class AModuleForEachTask(nn.Module):
    """The gain and the shift of a task made a small module, so a ModuleDict fits."""

    def __init__(self, features, rank, tasks):
        super().__init__()
        self.factors = nn.ParameterList(new_factors(features, rank))
        self.tasks = nn.ModuleDict({task: Affine(features) for task in tasks})

    def forward(self, x):
        down, up = self.factors
        corrected = x + x @ down @ up
        return {name: task(corrected) for name, task in self.tasks.items()}


class NumberedTasks(nn.Module):
    """Lists for everything, and the tasks' names beside them."""

    def __init__(self, features, rank, tasks):
        super().__init__()
        self.tasks = tuple(tasks)
        self.factors = nn.ParameterList(new_factors(features, rank))
        self.gains = nn.ParameterList(torch.ones(features) for _ in tasks)
        self.shifts = nn.ParameterList(torch.zeros(features) for _ in tasks)

    def forward(self, x):
        corrected = x + torch.linalg.multi_dot([x, *self.factors])
        pairs = zip(self.tasks, self.gains, self.shifts, strict=True)
        return {task: corrected * gain + shift for task, gain, shift in pairs}


class LinearFactors(nn.Module):
    """A linear layer without bias holds its matrix the other way round."""

    def __init__(self, features, rank, tasks):
        super().__init__()
        self.factors = nn.Sequential(
            nn.Linear(features, rank, bias=False), nn.Linear(rank, features, bias=False)
        )
        self.gains = nn.ParameterDict({task: torch.ones(features) for task in tasks})
        self.shifts = nn.ParameterDict({task: torch.zeros(features) for task in tasks})

    def forward(self, x):
        corrected = x + self.factors(x)
        return {task: corrected * self.gains[task] + self.shifts[task] for task in self.gains}


class OnlyTheList(Adapter):
    """The dicts are still dicts."""

    def __init__(self, features, rank, tasks):
        super().__init__()
        self.factors = nn.ParameterList(new_factors(features, rank))
        self.gains = {task: nn.Parameter(torch.ones(features)) for task in tasks}
        self.shifts = {task: nn.Parameter(torch.zeros(features)) for task in tasks}


class OnlyTheDicts(Adapter):
    """The list is still a list."""

    def __init__(self, features, rank, tasks):
        super().__init__()
        self.factors = [nn.Parameter(factor) for factor in new_factors(features, rank)]
        self.gains = nn.ParameterDict({task: torch.ones(features) for task in tasks})
        self.shifts = nn.ParameterDict({task: torch.zeros(features) for task in tasks})


class AModuleList(Adapter):
    """A ModuleList holds modules only."""

    def __init__(self, features, rank, tasks):
        super().__init__()
        self.factors = nn.ModuleList(
            [nn.Parameter(factor) for factor in new_factors(features, rank)]
        )
        self.gains = nn.ParameterDict({task: torch.ones(features) for task in tasks})
        self.shifts = nn.ParameterDict({task: torch.zeros(features) for task in tasks})


class AModuleDict(Adapter):
    """A ModuleDict holds modules only."""

    def __init__(self, features, rank, tasks):
        super().__init__()
        self.factors = nn.ParameterList(new_factors(features, rank))
        self.gains = nn.ModuleDict({task: nn.Parameter(torch.ones(features)) for task in tasks})
        self.shifts = nn.ModuleDict({task: nn.Parameter(torch.zeros(features)) for task in tasks})


class ATuple(Adapter):
    """A tuple is looked into no more than a list."""

    def __init__(self, features, rank, tasks):
        super().__init__()
        self.factors = tuple(nn.Parameter(factor) for factor in new_factors(features, rank))
        self.gains = nn.ParameterDict({task: torch.ones(features) for task in tasks})
        self.shifts = nn.ParameterDict({task: torch.zeros(features) for task in tasks})


class ListsInADict(Adapter):
    """A ParameterDict looks at what it is given, not inside it."""

    def __init__(self, features, rank, tasks):
        super().__init__()
        self.factors = nn.ParameterList(new_factors(features, rank))
        self.affine = nn.ParameterDict(
            {
                t: [nn.Parameter(torch.ones(features)), nn.Parameter(torch.zeros(features))]
                for t in tasks
            }
        )

    def forward(self, x):
        down, up = self.factors
        corrected = x + x @ down @ up
        return {task: corrected * gain + shift for task, (gain, shift) in self.affine.items()}


class MovedInForward(Adapter):
    """Runs on CUDA, but there is still nothing to train."""

    def __init__(self, features, rank, tasks):
        super().__init__()
        self.factors = [nn.Parameter(factor) for factor in new_factors(features, rank)]
        self.gains = {task: nn.Parameter(torch.ones(features)) for task in tasks}
        self.shifts = {task: nn.Parameter(torch.zeros(features)) for task in tasks}

    def forward(self, x):
        down, up = (factor.to(x.device) for factor in self.factors)
        corrected = x + x @ down @ up
        return {
            task: corrected * gain.to(x.device) + self.shifts[task].to(x.device)
            for task, gain in self.gains.items()
        }


class Buffers(nn.Module):
    """All of it moves and is saved, and none of it is trained."""

    def __init__(self, features, rank, tasks):
        super().__init__()
        self.tasks = list(tasks)
        down, up = new_factors(features, rank)
        self.register_buffer("down", down)
        self.register_buffer("up", up)
        for task in tasks:
            self.register_buffer(f"gain_{task}", torch.ones(features))
            self.register_buffer(f"shift_{task}", torch.zeros(features))

    def forward(self, x):
        corrected = x + x @ self.down @ self.up
        return {
            task: corrected * getattr(self, f"gain_{task}") + getattr(self, f"shift_{task}")
            for task in self.tasks
        }


class SharedByAllTasks(Adapter):
    """One gain for all tasks, so the tasks cannot differ."""

    def __init__(self, features, rank, tasks):
        super().__init__()
        self.factors = nn.ParameterList(new_factors(features, rank))
        gain = nn.Parameter(torch.ones(features))
        shift = nn.Parameter(torch.zeros(features))
        self.gains = nn.ParameterDict(dict.fromkeys(tasks, gain))
        self.shifts = nn.ParameterDict(dict.fromkeys(tasks, shift))


ACCEPTED = (
    "WrappedInPlace",
    "FilledLater",
    "ByHand",
    "AModuleForEachTask",
    "NumberedTasks",
    "LinearFactors",
)
ALSO_RIGHT = {
    "self.register_parameter(name, parameter)": "ByHand",
    "A small module for each task": "AModuleForEachTask",
}
MISTAKES = {
    "OnlyTheList": "python-container",
    "OnlyTheDicts": "python-container",
    "AModuleList": "registration-misuse",
    "AModuleDict": "registration-misuse",
    "ATuple": "python-container",
    "ListsInADict": "python-container",
    "MovedInForward": "python-container",
    "Buffers": "check parameters",
    "SharedByAllTasks": "check forward",
}
