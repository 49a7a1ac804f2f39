"""Which devices there are and which is current, as `torch/cuda/__init__.py` asks for it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch

from ...common.patches import Patch, each
from .. import forks
from .c_functions import c_functions
from .properties import CAPABILITY

count = [0]  # of devices


def _device_count() -> int:
    return count[0]


def _exchange(index: int) -> int:
    """Make a device current, unless `index` is negative, and return which one was."""
    before: int = torch.ops.simulated_cuda.current_device()
    if index >= 0:
        torch.ops.simulated_cuda.set_device(index)
    return before


def _functions() -> dict[str, Any]:
    device = torch.ops.simulated_cuda
    return {
        "init": lambda: None,
        "getDeviceCount": _device_count,
        "getDevice": device.current_device,
        "setDevice": lambda index: device.set_device(index),
        "exchangeDevice": _exchange,
        "maybeExchangeDevice": _exchange,
        "hasPrimaryContext": lambda index: True,
        "isInBadFork": forks.is_bad,
        "synchronize": lambda: None,
        "ipc_collect": lambda: None,
        "sleep": lambda cycles: None,
        "canDeviceAccessPeer": lambda one, other: one != other,
        "getArchFlags": lambda: "sm_{}{}".format(*CAPABILITY),
        "getCompiledVersion": lambda: 13000,
        "set_sync_debug_mode": device.set_sync_debug_mode,
        "get_sync_debug_mode": device.sync_debug_mode,
        "getCurrentBlasHandle": lambda: 0,
        "getCurrentSolverHandle": lambda: 0,
        "clearCublasWorkspaces": lambda: None,
    }


def patches() -> Iterator[Patch]:
    """The functions of `torch._C`, and names of `torch.cuda` that would ask the driver itself."""
    cuda: Any = torch.cuda
    yield from c_functions(_functions(), "torch/cuda/__init__.py calls CUDA's runtime")
    yield Patch(torch._C, "_has_cuda", True, "torch.cuda raises `not compiled with CUDA enabled`")
    yield Patch(torch.version, "cuda", "13.0", "code asks it whether this is a CUDA build")
    asks = {
        "device_count": _device_count,
        "is_available": lambda: _device_count() > 0,
        "is_bf16_supported": lambda including_emulation=True: True,
        "_is_in_bad_fork": forks.is_bad,
        "_exchange_device": _exchange,
        "_maybe_exchange_device": _exchange,
    }
    yield from each(cuda, asks, "it asks NVML or the driver, or was imported from torch._C")
    state = {
        "default_generators": (),
        "_initialized": False,
        "_queued_calls": [],
        "_lazy_seed_tracker": cuda._LazySeedTracker(),
    }
    yield from each(cuda, state, "torch.cuda initialises itself at the first use, once per process")
