"""Copies from one device to several and back: torch/csrc/cuda/python_comm.cpp, in Python.

`torch.nn.parallel.comm`, and so `nn.DataParallel`, calls these. What they say of devices is from
torch/csrc/cuda/comm.cpp; of sizes, PyTorch's operators say it in their words.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import torch
from torch import Tensor

from .patches import Patch, each


def _expect(holds: bool, message: str) -> None:
    if not holds:
        raise RuntimeError(message)


def _on(tensor: Tensor, index: int) -> Tensor:
    _expect(index >= 0, f"Expected non-negative device index, but got {index}")
    return tensor.to(torch.device("cuda", index))


def _check_outputs(outputs: Sequence[Tensor]) -> None:
    for index, output in enumerate(outputs):
        _expect(
            output.is_cuda,
            "Expected all output tensors to be CUDA tensors, but output tensor at index "
            f"{index} has device '{output.device}'",
        )


def broadcast(tensor: Tensor, devices: Sequence[int]) -> list[Tensor]:
    """A copy on every device."""
    return [_on(tensor, index) for index in devices]


def broadcast_coalesced(
    tensors: Sequence[Tensor], devices: Sequence[int], buffer_size: int = 0
) -> list[list[Tensor]]:
    """A copy of every tensor on every device; `buffer_size` (bytes) only tunes CUDA's copies."""
    here = all(tensor.get_device() == devices[0] for tensor in tensors)
    _expect(here, f"All tensors must be on devices[0]: {devices[0]}")
    return [[_on(tensor, index) for tensor in tensors] for index in devices]


def broadcast_out(tensor: Tensor, outputs: Sequence[Tensor]) -> list[Tensor]:
    """A copy into every output."""
    _check_outputs(outputs)
    return [output.copy_(tensor) for output in outputs]


def scatter(
    tensor: Tensor, devices: Sequence[int], sizes: Any = None, dim: int = 0, *_: Any
) -> list[Tensor]:
    """One chunk along `dim` for every device, of `sizes` or as equal as `chunk` makes them."""
    _expect(len(devices) > 0, "Expected at least one device to scatter to")
    chunks = torch.split(tensor, sizes, dim) if sizes else tensor.chunk(len(devices), dim)
    return [_on(chunk, index) for chunk, index in zip(chunks, devices, strict=False)]


def scatter_out(tensor: Tensor, outputs: Sequence[Tensor], dim: int = 0, *_: Any) -> list[Tensor]:
    """One chunk into every output."""
    _check_outputs(outputs)
    chunks = torch.split(tensor, [output.size(dim) for output in outputs], dim)
    return [output.copy_(chunk) for output, chunk in zip(outputs, chunks, strict=True)]


def gather(tensors: Sequence[Tensor], dim: int, destination: int | None = None) -> Tensor:
    """All concatenated along `dim`, on `destination` (None: the current device; -1: the CPU)."""
    _expect(len(tensors) > 0, "Expected at least one tensor to gather from")
    for index, tensor in enumerate(tensors):
        _expect(
            tensor.is_cuda,
            "Expected all input tensors to be CUDA tensors, but tensor at index "
            f"{index} has device {tensor.device}",
        )
        expected = list(tensors[0].shape)
        _expect(
            tensor.dim() == len(expected),
            "Expected all input tensors to have the same number of dimensions, but tensor at index "
            f"{index}has {tensor.dim()} dimensions, (expected {len(expected)})",
        )
        expected[dim] = tensor.size(dim)
        _expect(
            list(tensor.shape) == expected,
            f"Input tensor at index {index} has invalid shape {list(tensor.shape)}, but expected "
            f"{expected}",
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
