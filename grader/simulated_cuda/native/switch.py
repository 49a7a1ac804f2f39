"""On and off: what `enable` puts into PyTorch, `disable` takes out again."""

from __future__ import annotations

from functools import cache
from typing import Any

import torch

from ..common import parallel
from ..common.patches import Patch, Patches
from . import library
from .forks import adopt_fork
from .patches import (
    backward,
    cudnn,
    devices,
    legacy_types,
    memory,
    properties,
    refused,
    settings,
    storages,
    streams,
    tools,
)

__all__ = ["adopt_fork", "prepare_short_process", "set_count", "turn_off", "turn_on"]

# Each has `patches()`: the names that it replaces, to be asked when the library is loaded.
PARTS = (
    devices, properties, streams, memory, storages, legacy_types, cudnn, parallel, backward,
    settings, tools, refused,
)  # fmt: skip

_patches = Patches()
_fuses_on_gpu: list[bool] = []  # TorchScript's setting from before `turn_on`


def replaced() -> list[Patch]:
    """Every name of PyTorch that has another value while the device is on."""
    return [patch for part in PARTS for patch in part.patches()]


@cache
def _generators(devices: int) -> tuple[Any, ...]:
    """`torch.cuda.default_generators`: one for each device, for the life of the process."""
    return tuple(torch.ops.simulated_cuda.generator(index) for index in range(devices))


def set_count(count: int) -> None:
    """Let there be this many devices.

    Raises:
        RuntimeError: more than the library has room for.
    """
    torch.ops.simulated_cuda.set_count(count)
    devices.count[0] = count
    cuda: Any = torch.cuda
    cuda.default_generators = _generators(count)


def turn_on() -> None:
    """Put the device into PyTorch: first C++ (the kernels and hooks), then Python's names.

    Raises:
        LibraryError: the library can neither be found nor built.
    """
    library.load()
    _let_cuda_start_again()
    torch.ops.simulated_cuda.start()
    # TorchScript compiles CUDA code with NVRTC for operators that it fuses.
    _fuses_on_gpu.append(torch._C._jit_can_fuse_on_gpu())
    torch._C._jit_override_can_fuse_on_gpu(False)
    _patches.apply(replaced())


def turn_off() -> None:
    """Take it out again, in the opposite order."""
    _patches.undo()
    torch._C._jit_override_can_fuse_on_gpu(_fuses_on_gpu.pop())
    torch.ops.simulated_cuda.stop()


def prepare_short_process() -> None:
    """Do nothing: no tensor of this device makes PyTorch import `torch.distributed.tensor`."""


@cache
def _let_cuda_start_again() -> None:
    """Make `torch._C._cuda_init` of a CUDA build ask CUDA, even after the simulated device was on.

    PyTorch starts a device once per process (`Context::lazyInitDevice`), and that may have been
    ours. Then CUDA's own start, which says that there is no driver, would be left out for good.
    """
    before = getattr(torch._C, "_cuda_init", None)
    if torch.version.cuda is None or before is None:
        return

    def init() -> None:
        torch.ops.simulated_cuda.init_hooks()
        before()

    vars(torch._C)["_cuda_init"] = init
