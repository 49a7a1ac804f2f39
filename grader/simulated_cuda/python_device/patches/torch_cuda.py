"""`torch.cuda` without a driver: the names that it has while the device is on."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from types import SimpleNamespace
from typing import Any

import torch

from ...common.legacy_types import classes
from ...common.patches import Patch
from ...common.refusals import refuse, refused_class
from .. import devices
from ..operators import randomness
from . import memory, streams

NAME = "Simulated CUDA device"


def _make(options: dict[str, Any], args: tuple[Any, ...], named: dict[str, Any]) -> Any:
    return torch.empty(0, **options).new(*args, **named)


def _properties(device: Any = None) -> SimpleNamespace:
    """`torch.cuda.get_device_properties`; sizes in bytes."""
    return SimpleNamespace(
        name=f"{NAME} {devices.number(device)}",
        major=9,
        minor=0,
        total_memory=memory.TOTAL,
        multi_processor_count=1,
        warp_size=32,
        is_integrated=0,
        is_multi_gpu_board=0,
    )


def _set_device(device: Any) -> None:
    """`torch.cuda.set_device`: a negative number changes nothing."""
    devices.exchange(torch.cuda._utils._get_device_index(device))


_generator = cache(randomness.new)


@cache
def generators(count: int) -> tuple[Any, ...]:
    """`torch.cuda.default_generators`: one for each device, for the life of the process."""
    return tuple(map(_generator, range(count)))


def _start(device: Any = None) -> None:
    """Initialising, waiting and clean-up: nothing to do, but to raise if there is no device."""
    devices.number(device)


def _is_available() -> bool:
    return devices.count() > 0


def _state() -> dict[str, Any]:
    """Whether CUDA is there, how it starts, and which devices there are."""
    return {
        "is_available": _is_available,
        "is_initialized": _is_available,
        "_initialized": True,
        "_is_in_bad_fork": lambda: False,
        "_lazy_init": _start,
        "_lazy_call": lambda call, **_: call() if _is_available() else None,
        "synchronize": _start,
        "ipc_collect": _start,
        "default_generators": (),
        "device_count": devices.count,
        "current_device": devices.ordinal,
        "set_device": _set_device,
        "_exchange_device": devices.exchange,
        "_maybe_exchange_device": devices.exchange,
        "get_device_properties": _properties,
        "can_device_access_peer": lambda *pair: len({*map(devices.number, pair)}) > 1,
        "is_bf16_supported": lambda including_emulation=True: _is_available(),
    }


GRAPHS = {name: refused_class(name, "CUDA graphs") for name in ("CUDAGraph", "graph")}
GRAPHS["make_graphed_callables"] = refuse("CUDA graphs")


def patches() -> Iterator[Patch]:
    """The names, in `torch.cuda` and in each of its modules that imported them from there."""
    for names, why in (
        (_state(), "a build without CUDA raises, a CUDA build asks the driver"),
        (streams.names(), "the bases of PyTorch's classes are in a CUDA build's C++"),
        (memory.names(), "a build without CUDA has no caching allocator"),
        (
            classes("torch.cuda", torch.strided, _make),
            "without CUDA, PyTorch's classes raise when they are used",
        ),
        (GRAPHS, "a CUDA graph records kernels of a GPU"),
    ):
        for name, replacement in names.items():
            for owner in (torch.cuda, torch.cuda.random, torch.cuda.memory, torch.cuda.streams):
                if owner is torch.cuda or name in vars(owner):
                    yield Patch(owner, name, replacement, why)
