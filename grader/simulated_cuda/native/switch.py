"""On and off: what `enable` puts into PyTorch, `disable` takes out again."""

from __future__ import annotations

from functools import cache
from typing import Any

import torch

from ..common.patches import Patches
from . import library
from .forks import adopt_fork
from .replaced import torch_cuda

__all__ = ["adopt_fork", "prepare_short_process", "set_count", "turn_off", "turn_on"]

_patches = Patches()
_count = [0]
_fuses_on_gpu: list[bool] = []  # what TorchScript did before the device was on


def _device_count() -> int:
    return _count[0]


@cache
def _generators(devices: int) -> tuple[Any, ...]:
    """`torch.cuda.default_generators`: one for each device, for the life of the process."""
    return tuple(torch.ops.simulated_cuda.generator(index) for index in range(devices))


def set_count(devices: int) -> None:
    """How many devices there are.

    Raises:
        RuntimeError: more than the library has room for.
    """
    torch.ops.simulated_cuda.set_count(devices)
    _count[0] = devices
    cuda: Any = torch.cuda
    cuda.default_generators = _generators(devices)


def turn_on() -> None:
    """Put the device into PyTorch.

    Raises:
        LibraryError: the library can neither be found nor built.
    """
    library.load()
    _let_cuda_start_again()
    torch.ops.simulated_cuda.start()
    # TorchScript compiles CUDA code with NVRTC for operators that it fuses.
    _fuses_on_gpu.append(torch._C._jit_can_fuse_on_gpu())
    torch._C._jit_override_can_fuse_on_gpu(False)
    _patches.apply(torch.cuda, "default_generators", ())
    _patches.apply(torch.cuda, "device_count", _device_count)
    with torch_cuda.bases_of_streams():
        patches = list(torch_cuda.patches())
    for patch in patches:
        _patches.apply(*patch)


@cache
def _let_cuda_start_again() -> None:
    """`torch._C._cuda_init` of a CUDA build asks CUDA, even after the simulated device was on.

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


def turn_off() -> None:
    """Take it out again."""
    _patches.undo()
    torch._C._jit_override_can_fuse_on_gpu(_fuses_on_gpu.pop())
    torch.ops.simulated_cuda.stop()


def prepare_short_process() -> None:
    """Do nothing: no tensor of this device makes PyTorch import `torch.distributed.tensor`."""
