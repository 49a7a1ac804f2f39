"""From tensors to their hosts, the CPU tensors with the values, and back."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from .. import backend, devices
from .tensor import CudaTensor, wrap


def take_device(named: dict[str, Any], index: int) -> int:
    """The index of the device that `device=` names (-1: the CPU), or `index` without one.

    Changes `named` in place: `device` to the CPU, where hosts are made, and no `pin_memory`.
    """
    device = named.get("device")
    if device is not None:
        named["device"] = devices.CPU
        index = devices.ordinal(device.index) if device.type == backend.NAME else -1
    if index >= 0 and named.get("pin_memory"):
        named["pin_memory"] = False
    return index


def unwrap(value: Any) -> tuple[Any, int]:
    """The host of a value, or of all in a list, and the bit mask of their devices (`Plan.run`)."""
    if type(value) is CudaTensor:
        return value.host, 2 << value.index
    if isinstance(value, (list, tuple)):
        if value and type(value[0]) is int:
            return value, 0
        pairs = [unwrap(item) for item in value]
        device_mask = 0
        for _, bits in pairs:
            device_mask |= bits
        return [host for host, _ in pairs], device_mask
    return value, int(isinstance(value, Tensor))


def wrap_all(value: Any, index: int) -> Any:
    """`value` with each tensor wrapped as one on `cuda:{index}`; as it is if `index` is -1."""
    if index < 0:
        return value
    if isinstance(value, Tensor):
        return wrap(value, index)
    if isinstance(value, (list, tuple)):
        return type(value)(wrap_all(item, index) for item in value)
    return value


def sync_metadata(wrapper: Any) -> None:
    """Copy sizes, strides and offset from the host to the wrapper, if an operator changed them."""
    host = wrapper.host
    if host.layout is not torch.strided:
        if wrapper.shape != host.shape:
            backend.resize_wrapper(wrapper, torch.empty(host.shape, device="meta"))
        return
    if (wrapper.shape, wrapper.stride(), wrapper.storage_offset()) != (
        host.shape,
        host.stride(),
        host.storage_offset(),
    ):
        backend.resize_wrapper(wrapper, host)
