"""Copies from one device to several and back: torch/csrc/cuda/python_comm.cpp, in Python.

`torch.nn.parallel.comm`, and so `nn.DataParallel`, calls these. Device -1 is the CPU, as there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import torch
from torch import Tensor

from .patches import Patch, each


def _on(tensor: Tensor, index: int) -> Tensor:
    return tensor.to(torch.device("cuda", index))


def broadcast(tensor: Tensor, devices: Sequence[int]) -> list[Tensor]:
    """A copy on every device."""
    return [_on(tensor, index) for index in devices]


def broadcast_coalesced(
    tensors: Sequence[Tensor], devices: Sequence[int], buffer_size: int = 0
) -> list[list[Tensor]]:
    """A copy of every tensor on every device; `buffer_size` (bytes) only tunes CUDA's copies."""
    return [[_on(tensor, index) for tensor in tensors] for index in devices]


def broadcast_out(tensor: Tensor, outputs: Sequence[Tensor]) -> list[Tensor]:
    """A copy into every output."""
    return [output.copy_(tensor) for output in outputs]


def scatter(
    tensor: Tensor, devices: Sequence[int], sizes: Any = None, dim: int = 0, *_: Any
) -> list[Tensor]:
    """One chunk along `dim` for every device, of `sizes` or as equal as `chunk` makes them."""
    chunks = torch.split(tensor, sizes, dim) if sizes else tensor.chunk(len(devices), dim)
    return [_on(chunk, index) for chunk, index in zip(chunks, devices, strict=False)]


def scatter_out(tensor: Tensor, outputs: Sequence[Tensor], dim: int = 0, *_: Any) -> list[Tensor]:
    """One chunk into every output."""
    chunks = torch.split(tensor, [output.size(dim) for output in outputs], dim)
    return [output.copy_(chunk) for output, chunk in zip(outputs, chunks, strict=True)]


def gather(tensors: Sequence[Tensor], dim: int, destination: int | None = None) -> Tensor:
    """All concatenated along `dim`, on `destination` (None: the current device).

    Raises:
        RuntimeError: one of them is not on a CUDA device; in CUDA's words.
    """
    for index, tensor in enumerate(tensors):
        if not tensor.is_cuda:
            raise RuntimeError(
                "Expected all input tensors to be CUDA tensors, but tensor at index "
                f"{index} has device {tensor.device}"
            )
    if destination == -1:
        return torch.cat([tensor.cpu() for tensor in tensors], dim)
    index = torch.cuda.current_device() if destination is None else destination
    return torch.cat([_on(tensor, index) for tensor in tensors], dim)


def gather_out(tensors: Sequence[Tensor], output: Tensor, dim: int) -> Tensor:
    """All concatenated along `dim` into `output`."""
    return output.copy_(gather(tensors, dim, output.get_device()))


FUNCTIONS = {
    "_broadcast": broadcast,
    "_broadcast_out": broadcast_out,
    "_broadcast_coalesced": broadcast_coalesced,
    "_scatter": scatter,
    "_scatter_out": scatter_out,
    "_gather": gather,
    "_gather_out": gather_out,
}


def patches() -> Iterator[Patch]:
    """`torch._C._broadcast` and its like."""
    yield from each(torch._C, FUNCTIONS, "a build without CUDA has no copies between devices")
