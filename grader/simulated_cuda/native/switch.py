"""On and off: what `enable` puts into PyTorch, `disable` takes out again."""

from __future__ import annotations

from functools import cache

import torch

from ..common import parallel
from ..common.patches import Patch, Patches
from . import forks, library, visible
from .forks import adopt_fork
from .library import functions
from .patches import (
    backward,
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
    devices, properties, streams, memory, storages, legacy_types, parallel, backward,
    settings, tools, refused,
)  # fmt: skip

_patches = Patches()
_fuses_on_gpu: list[bool] = []  # TorchScript's setting from before `turn_on`


def replaced() -> list[Patch]:
    """Every name of PyTorch that has another value while the device is on."""
    return [patch for part in PARTS for patch in part.patches()]


def set_count(count: int, *, follow: bool) -> None:
    """Let there be this many devices, less those that CUDA_VISIBLE_DEVICES hides if it is followed.

    Raises:
        RuntimeError: more than the library has room for.
    """
    visible.install(count, follow=follow)


def turn_on() -> None:
    """Put the device into PyTorch: first C++ (the kernels and hooks), then Python's names.

    Raises:
        LibraryError: the library can neither be found nor built.
    """
    library.load()
    forks.ASKED.clear()
    functions.set_started(False)
    _let_cuda_start_again()
    functions.start()
    # TorchScript compiles CUDA code with NVRTC for operators that it fuses.
    _fuses_on_gpu.append(torch._C._jit_can_fuse_on_gpu())
    torch._C._jit_override_can_fuse_on_gpu(False)
    _patches.apply(replaced())


def turn_off() -> None:
    """Take it out again, in the opposite order; a limit of memory is gone with it."""
    _patches.undo()
    forks.ASKED.clear()
    torch._C._jit_override_can_fuse_on_gpu(_fuses_on_gpu.pop())
    functions.stop()


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
        functions.init_hooks()
        before()

    vars(torch._C)["_cuda_init"] = init
