"""How many copies to the GPU one pass over a data set takes, by where its batches are moved."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import nn
from torch.overrides import TorchFunctionMode
from torch.utils.data import DataLoader, Dataset, default_collate

from grader.probe import torch_defaults

PLACES = ("dataset", "collate function", "training loop", "forward")
_MOVES = (torch.Tensor.cuda, torch.Tensor.to)


class CountCopies(TorchFunctionMode):
    """While entered, counts the `.cuda()` and `.to()` calls that copy a CPU tensor to a GPU."""

    def __init__(self) -> None:
        super().__init__()
        self.copies = 0

    def __torch_function__(
        self, function: Callable[..., Any], types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        """Call `function`, and look at what it returned."""
        result = function(*args, **(kwargs or {}))
        if function in _MOVES and not args[0].is_cuda and result.is_cuda:
            self.copies += 1
        return result


class MovesItsObjects(Dataset[Any]):
    """A dataset whose `__getitem__` moves each tensor of an object."""

    def __init__(self, objects: Dataset[Any]) -> None:
        self.objects = objects

    def __len__(self) -> int:
        return len(self.objects)  # type: ignore[arg-type]

    def __getitem__(self, i: int) -> Any:
        return to_gpu(self.objects[i])


class MovesItsInput(nn.Module):
    """A model whose `forward` moves its input, and cannot move the target."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model = model

    def forward(self, x: torch.Tensor) -> Any:
        return self.model(x.cuda())


def to_gpu(tensors: Any) -> list[torch.Tensor]:
    return [tensor.cuda() for tensor in tensors]


def collate_on_gpu(objects: Any) -> list[torch.Tensor]:
    """A batch as PyTorch's default collate function makes it, on the GPU."""
    return to_gpu(default_collate(objects))


def one_pass(
    place: str, objects: Dataset[Any], model: nn.Module, batch_size: int = 4
) -> tuple[int, str]:
    """Call a model once on every batch.

    Args:
        place: where tensors are moved, one of `PLACES`.
        objects: pairs of an input and a target, on the CPU.
        model: a model on the GPU that takes a batch of inputs.
        batch_size: objects in a batch.

    Returns:
        The number of copies to the GPU, and the kind of device that the targets end up on.
    """
    dataset = MovesItsObjects(objects) if place == "dataset" else objects
    collate = collate_on_gpu if place == "collate function" else default_collate
    called = MovesItsInput(model) if place == "forward" else model
    with torch_defaults(), CountCopies() as count:
        for batch in DataLoader(dataset, batch_size, collate_fn=collate):
            x, target = to_gpu(batch) if place == "training loop" else batch
            called(x)
    return count.copies, target.device.type
