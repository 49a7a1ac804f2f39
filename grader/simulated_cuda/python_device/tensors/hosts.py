"""From tensors to their hosts and back."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from .. import backend, devices
from .tensor import CudaTensor, wrap


def send(named: dict[str, Any], index: int) -> int:
    """The place that `device=` asks for; the hosts are all made on the CPU."""
    device = named.get("device")
    if device is not None:
        named["device"] = devices.CPU
        index = devices.ordinal(device.index) if device.type == backend.NAME else -1
    if index >= 0 and named.get("pin_memory"):
        named["pin_memory"] = False
    return index


def unwrap(value: Any) -> tuple[Any, int]:
    """The host of a value, or of all in a list, and the bits of the places they are in."""
    if type(value) is CudaTensor:
        return value.host, 2 << value.index
    if isinstance(value, (list, tuple)):
        if value and type(value[0]) is int:
            return value, 0
        pairs = [unwrap(item) for item in value]
        places = 0
        for _, bits in pairs:
            places |= bits
        return [host for host, _ in pairs], places
    return value, int(isinstance(value, Tensor))


def wrap_all(value: Any, index: int) -> Any:
    """The same value with every tensor in it on cuda:`index`, or as it is if that is negative."""
    if index < 0:
        return value
    if isinstance(value, Tensor):
        return wrap(value, index)
    if isinstance(value, (list, tuple)):
        return type(value)(wrap_all(item, index) for item in value)
    return value


def follow(wrapper: Any) -> None:
    """After its host was resized, so is the wrapper."""
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
