"""What `nn.DataParallel` asks of CUDA's C++: copies from one device to several, and back."""

from __future__ import annotations

from typing import Any

import torch


def _on(tensor: Any, index: int) -> Any:
    return tensor.to(torch.device("cuda", index))


def broadcast(tensor: Any, devices: list[int]) -> list[Any]:
    """A copy on every device."""
    return [_on(tensor, index) for index in devices]


def broadcast_coalesced(tensors: Any, devices: list[int], buffer_size: int = 0) -> list[Any]:
    """A copy of all on every device."""
    return [[_on(tensor, index) for tensor in tensors] for index in devices]


def scatter(tensor: Any, devices: Any, sizes: Any = None, dim: int = 0, *_: Any) -> Any:
    """One chunk for every device."""
    chunks = tensor.split(sizes, dim) if sizes else tensor.chunk(len(devices), dim)
    return [_on(chunk, index) for chunk, index in zip(chunks, devices, strict=False)]


def gather(tensors: Any, dim: int, destination: int | None = None) -> Any:
    """All in one, on the destination; -1 is the CPU."""
    if destination == -1:
        return torch.cat([tensor.cpu() for tensor in tensors], dim)
    index = torch.cuda.current_device() if destination is None else destination
    return torch.cat([_on(tensor, index) for tensor in tensors], dim)


REPLACEMENTS = {
    "_broadcast": broadcast,
    "_broadcast_coalesced": broadcast_coalesced,
    "_scatter": scatter,
    "_gather": gather,
}
