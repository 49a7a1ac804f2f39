"""`torch.UntypedStorage` on the device: C++ of a build without CUDA refuses to make one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch

from ...common.patches import Patch
from ...common.refusals import refuse
from ..library import functions


def _new_storage() -> Any:
    """`torch.UntypedStorage.__new__` that also makes storages on the device."""
    before: Any = torch.UntypedStorage.__new__

    def new(cls: Any, *args: Any, device: Any = None, **named: Any) -> Any:
        if device is None:
            return before(cls, *args, **named)
        if torch.device(device).type != "cuda":
            return before(cls, *args, device=device, **named)
        if args and not isinstance(args[0], int):
            numbers = torch.tensor(list(args[0]), dtype=torch.uint8)
            return numbers.to(device).untyped_storage()
        return torch.empty(*(args or (0,)), dtype=torch.uint8, device=device).untyped_storage()

    return staticmethod(new)


def _share(storage: Any) -> Any:
    """`torch.UntypedStorage._share_cuda_`: the handle by which another process finds the memory."""
    if storage.device.type != "cuda":
        raise RuntimeError("_share_cuda_: only available on CUDA")
    return refuse("handles of memory for other processes")()


def _resizing() -> Any:
    """`torch.UntypedStorage.resize_` that also resizes storages of the device."""
    before = torch.UntypedStorage.resize_

    def resize_(storage: Any, size: int) -> Any:
        if storage.device.type != "cuda":
            return before(storage, size)
        with torch.no_grad():
            tensor = torch.empty(0, dtype=torch.uint8, device=storage.device).set_(storage)
        functions.resize_storage(tensor, size)
        return storage

    return resize_


def patches() -> Iterator[Patch]:
    """Methods of `torch.UntypedStorage`, which `torch.load` and `torch.save` call too."""
    storage = torch.UntypedStorage
    why = "torch/csrc/Storage.cpp takes the allocator of a CUDA build"
    yield Patch(storage, "__new__", _new_storage(), why)
    yield Patch(storage, "resize_", _resizing(), "torch/csrc/StorageMethods.cpp calls CUDA")
    yield Patch(storage, "_share_cuda_", _share, "memory of this process has no handle for another")
