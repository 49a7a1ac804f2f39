"""Which devices there are and which is current, as `torch/cuda/__init__.py` asks for it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch

from ...common.patches import Patch, each
from .. import forks, visible
from ..library import functions
from .bindings import c_functions, is_integer, warn_once

PROTOTYPE = (
    "Synchronization debug mode is a prototype feature and does not yet detect all synchronizing "
    "operations"
)
# What PyTorch's builds for CUDA 13.0 are compiled for, on x86-64.
ARCHITECTURES = "sm_75 sm_80 sm_86 sm_90 sm_100 sm_120"


def _device_count() -> int:
    """`torch.cuda.device_count`: before CUDA has started, the environment may change it."""
    cuda: Any = torch.cuda
    if not cuda._initialized:
        visible.refresh()
    return len(visible.ordinals)


def _count_of_runtime() -> int:
    """`torch._C._cuda_getDeviceCount`, which asks CUDA itself."""
    forks.poison()
    return _device_count()


def _is_available() -> bool:
    return _count_of_runtime() > 0


def _init() -> None:
    """`torch._C._cuda_init`, which PyTorch calls once.

    Raises:
        RuntimeError: there is no device; in the words of torch/csrc/cuda/Module.cpp's driver.
    """
    forks.poison()
    visible.refresh()
    if not visible.ordinals:
        raise RuntimeError("No CUDA GPUs are available")
    functions.set_started(True)


def _started(function: Any) -> Any:
    """A function that starts CUDA first: `device_lazy_init` in torch/csrc/cuda/Module.cpp."""

    def run(*args: Any, **named: Any) -> Any:
        torch.cuda._lazy_init()  # type: ignore[no-untyped-call]
        return function(*args, **named)

    return run


def _exchange(index: int) -> int:
    """Make a device current and return which one was; for a negative `index`, do nothing."""
    if not is_integer(index):
        raise RuntimeError("invalid argument to exchangeDevice")
    if index < 0:
        return -1
    torch.cuda._lazy_init()  # type: ignore[no-untyped-call]
    before: int = functions.current_device()
    functions.set_device(index)
    return before


def _maybe_exchange(index: int) -> int:
    """The same. Dynamo tells the two functions apart by identity."""
    return _exchange(index)


def _set_device(index: int) -> None:
    if not is_integer(index):
        raise RuntimeError("invalid argument to setDevice")
    functions.set_device(index)


def _sleep(cycles: int) -> None:
    if not is_integer(cycles):
        raise RuntimeError("torch.cuda._sleep(): expected 'int'")


def _set_sync_debug_mode(mode: int) -> None:
    """`torch._C._cuda_set_sync_debug_mode` (torch/csrc/cuda/Module.cpp)."""
    warn_once(PROTOTYPE)
    if not is_integer(mode):
        raise RuntimeError("invalid argument to set_sync_debug_mode")
    if mode not in (0, 1, 2):
        raise RuntimeError("invalid value of debug_mode, expected one of 0,1,2")
    functions.set_sync_debug_mode(mode)


def _functions() -> dict[str, Any]:
    return {
        "init": _init,
        "getDeviceCount": _count_of_runtime,
        "getDevice": _started(lambda: functions.current_device()),
        "setDevice": _started(_set_device),
        "exchangeDevice": _exchange,
        "maybeExchangeDevice": _maybe_exchange,
        "hasPrimaryContext": lambda index: True,
        "isInBadFork": forks.is_bad,
        "synchronize": lambda: None,
        "ipc_collect": lambda: None,
        "sleep": _sleep,
        "canDeviceAccessPeer": lambda one, other: one != other,
        "getArchFlags": lambda: ARCHITECTURES,
        "getCompiledVersion": lambda: 13000,
        "set_sync_debug_mode": _set_sync_debug_mode,
        "get_sync_debug_mode": functions.sync_debug_mode,
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
        "_device_count_nvml": _device_count,
        "is_available": _is_available,
        "is_bf16_supported": lambda including_emulation=True: _is_available(),
        "_is_in_bad_fork": forks.is_bad,
        "_exchange_device": _exchange,
        "_maybe_exchange_device": _maybe_exchange,
    }
    yield from each(cuda, asks, "it asks NVML or the driver, or was imported from torch._C")
    state = {
        "default_generators": (),
        "_initialized": False,
        "_cached_device_count": None,  # `visible` empties it
        "_queued_calls": [],
        "_lazy_seed_tracker": cuda._LazySeedTracker(),
    }
    yield from each(cuda, state, "torch.cuda initialises itself at the first use, once per process")
