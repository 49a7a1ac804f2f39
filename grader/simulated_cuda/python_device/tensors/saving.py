"""Storages and pickling: `torch.save` writes `cuda:0`, and any PyTorch can load it."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

import torch

from .. import devices


class CudaStorage(torch.UntypedStorage):
    """A host's storage that reports the CUDA device."""

    index: int

    @property
    def device(self) -> torch.device:  # type: ignore[override]
        """The CUDA device, which `torch.save` writes to the checkpoint."""
        return devices.CUDA[self.index]

    @property
    def is_cuda(self) -> bool:
        """True: the storage reports a CUDA device."""
        return True

    def get_device(self) -> int:
        """The index of the device."""
        return self.index


def storage_of(tensor: Any) -> Any:
    """The storage of a tensor's host: one object for all tensors that share it."""
    return as_cuda(tensor.host.untyped_storage(), tensor.index)


def as_cuda(storage: Any, index: int) -> Any:
    """Change the class of `storage` so that it reports `cuda:{index}`."""
    storage.__class__ = CudaStorage
    storage.index = index
    return storage


def to(storage: Any, device: Any = None, non_blocking: bool = False, **_: Any) -> Any:
    """`UntypedStorage.to`: the storage itself if it is there, else a copy."""
    if device is None or type(device) is int:
        device = devices.CUDA[devices.ordinal(device)]
    target = torch.device(device)
    if target.type != "cuda":
        return storage if storage.device == target else storage.cpu()
    index = devices.ordinal(target.index)
    if storage.device == devices.CUDA[index]:
        return storage
    return as_cuda(torch.UntypedStorage(storage.size()).copy_(storage), index)  # type: ignore[no-untyped-call]


def reduce(tensor: Any) -> Any:
    """`__reduce_ex__`: PyTorch's own rebuild functions, so that any PyTorch can load the pickle."""
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
    geometry = (host.storage_offset(), tuple(host.shape), host.stride())
    return torch._utils._rebuild_tensor_v2, (
        storage,
        *geometry,
        tensor.requires_grad,
        OrderedDict(),
    )
