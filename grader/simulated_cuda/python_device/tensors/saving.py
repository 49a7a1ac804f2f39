"""Storages, pickling, and checkpoints that load elsewhere as they would from a GPU."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

import torch

from .. import devices


class CudaStorage(torch.UntypedStorage):
    """A host's storage that says where it is; `torch.save` writes that down."""

    index: int

    @property
    def device(self) -> torch.device:  # type: ignore[override]
        """What `torch.save` writes down."""
        return devices.CUDA[self.index]

    @property
    def is_cuda(self) -> bool:
        """As on CUDA."""
        return True

    def get_device(self) -> int:
        """The number of the device."""
        return self.index


def storage_of(tensor: Any) -> Any:
    """The storage of a tensor's host: the same object for all tensors that share it."""
    return as_cuda(tensor.host.untyped_storage(), tensor.index)


def as_cuda(storage: Any, index: int) -> Any:
    """Make a storage say that it is on a simulated device."""
    storage.__class__ = CudaStorage
    storage.index = index
    return storage


def to(storage: Any, device: Any = None, non_blocking: bool = False, **_: Any) -> Any:
    """`UntypedStorage.to` while the simulation is on."""
    if device is None or type(device) is int:
        device = devices.CUDA[devices.ordinal(device)]
    place = torch.device(device)
    if place.type != "cuda":
        return storage if storage.device == place else storage.cpu()
    index = devices.ordinal(place.index)
    if storage.device == devices.CUDA[index]:
        return storage
    return as_cuda(torch.UntypedStorage(storage.size()).copy_(storage), index)  # type: ignore[no-untyped-call]


def reduce(tensor: Any) -> Any:
    """How a tensor is pickled: the parts that any PyTorch, with CUDA or without, can rebuild."""
    if isinstance(tensor, torch.nn.Parameter):
        plain = tensor.detach()
        return torch._utils._rebuild_parameter, (plain, tensor.requires_grad, OrderedDict())
    host = tensor.host
    if host.layout is torch.sparse_coo:
        parts = (tensor._indices(), tensor._values(), tensor.shape, tensor.is_coalesced())
        return torch._utils._rebuild_sparse_tensor, (host.layout, parts)
    storage = torch.storage.TypedStorage(  # type: ignore[no-untyped-call]
        wrap_storage=storage_of(tensor), dtype=tensor.dtype, _internal=True
    )
    place = (host.storage_offset(), tuple(host.shape), host.stride())
    return torch._utils._rebuild_tensor_v2, (
        storage,
        *place,
        tensor.requires_grad,
        OrderedDict(),
    )
