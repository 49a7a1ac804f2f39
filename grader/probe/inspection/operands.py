"""The operands of an operation: whether their devices mix, and how they are brought together."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import torch

from grader.probe.inspection.frames import At
from grader.probe.inspection.inputs import with_each_tensor
from grader.probe.inspection.operations import tensors_in
from grader.probe.inspection.source import Position
from grader.schema import Site

# In the message of an operation that reads CPU memory only: `Tensor.numpy`, and the lengths of
# `pack_padded_sequence`.
HOST = re.compile(r"to numpy|1D CPU")
Arguments = tuple[tuple[Any, ...], dict[str, Any]]
Placed = tuple[torch.Tensor, torch.device]


class Meeting(NamedTuple):
    """An operation that was refused for its devices.

    Attributes:
        misplaced, others: the tensors that the code gave it, and where each was by then.
        moved_at: what had been moved by then, as the trace has it.
        site: the expression of the operation.
    """

    error: Exception
    operation: str
    position: Position
    misplaced: list[Placed]
    others: list[Placed]
    moved_at: dict[int, tuple[At | None, torch.device]]
    site: Site | None


def mix(arguments: Arguments, device: torch.device) -> bool:
    """Whether tensors, or a generator and `device`, are on different devices."""
    generator = arguments[1].get("generator")
    is_elsewhere = generator is not None and generator.device != device
    return is_elsewhere or len({tensor.device for tensor in tensors_in(arguments)}) > 1


def together(arguments: Arguments, device: torch.device) -> Arguments:
    """The arguments on `device`, with a generator of that device."""
    args, kwargs = with_each_tensor(lambda tensor: tensor.to(device), arguments)
    if (generator := kwargs.get("generator")) is not None:
        kwargs["generator"] = torch.Generator(device).manual_seed(generator.initial_seed())
    return args, kwargs


def reads_cpu_memory(error: Exception) -> bool:
    """Whether an operation was refused because it reads CPU memory only."""
    return bool(HOST.search(str(error)))


def on_the_cpu(arguments: Arguments) -> Arguments:
    """The arguments with what belongs on the CPU there: of several tensors, the row of lengths."""
    is_alone = len(tensors_in(arguments)) == 1

    def moved(tensor: torch.Tensor) -> torch.Tensor:
        are_lengths = tensor.dim() == 1 and not tensor.is_floating_point()
        return tensor.detach().cpu() if is_alone or are_lengths else tensor

    return with_each_tensor(moved, arguments)


def version_of(tensor: torch.Tensor) -> int:
    """How often it was written into."""
    return 0 if tensor.is_inference() else tensor._version
