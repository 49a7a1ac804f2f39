"""`torch.cuda.get_device_properties`: the figures of an H100, and a name that says it is none."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from functools import cache
from typing import Any

import torch

from ...common.patches import Patch
from .. import visible
from ..library import functions
from .bindings import frozen, frozen_class

NAME = "Simulated CUDA device"
CAPABILITY = (9, 0)  # of an H100, so PyTorch chooses what it would choose on one


def _described(self: Any) -> str:
    return (
        f"_CudaDeviceProperties(name={self.name!r}, major={self.major}, minor={self.minor}, "
        f"total_memory={self.total_memory // 2**20}MB, "
        f"multi_processor_count={self.multi_processor_count}, uuid={self.uuid}, "
        f"pci_bus_id={self.pci_bus_id}, pci_device_id=0, pci_domain_id=0, "
        f"L2_cache_size={self.L2_cache_size // 2**20}MB)"
    )


FIGURES = {
    "name": NAME,
    "major": CAPABILITY[0],
    "minor": CAPABILITY[1],
    "total_memory": 0,
    "multi_processor_count": 132,
    "is_integrated": 0,
    "is_multi_gpu_board": 0,
    "max_threads_per_multi_processor": 2048,
    "max_threads_per_block": 1024,
    "warp_size": 32,
    "regs_per_multiprocessor": 65536,
    "shared_memory_per_block": 49152,
    "shared_memory_per_block_optin": 232448,
    "shared_memory_per_multiprocessor": 233472,
    "clock_rate": 1980000,
    "memory_clock_rate": 2619000,
    "memory_bus_width": 5120,
    "L2_cache_size": 52428800,
    "gcnArchName": NAME,
    "uuid": None,
    "pci_bus_id": 0,
    "pci_device_id": 0,
    "pci_domain_id": 0,
}
Uuid = frozen_class(
    "_CUuuid", {"bytes": b""}, __str__=lambda self: str(uuid.UUID(bytes=bytes(self.bytes)))
)
DeviceProperties = frozen_class("_CudaDeviceProperties", FIGURES, __repr__=_described)


def properties(device: int) -> Any:
    """The properties of `cuda:{device}`; sizes in bytes, clock rates in kHz."""
    return _properties_of(visible.ordinals[device])


@cache
def _properties_of(ordinal: int) -> Any:
    own = {
        "total_memory": functions.capacity(),
        "uuid": frozen(Uuid, {"bytes": list(uuid.UUID(visible.uuid(ordinal)).bytes)}),
        "pci_bus_id": ordinal + 1,
    }
    return frozen(DeviceProperties, FIGURES | own)


def patches() -> Iterator[Patch]:
    """The names under which C++ gives the properties."""
    why = "a build without CUDA has no properties; a CUDA build would ask the driver"
    yield Patch(torch.cuda, "_get_device_properties", properties, why)
    for module in (torch.cuda, torch._C):
        yield Patch(module, "_CudaDeviceProperties", DeviceProperties, why)
