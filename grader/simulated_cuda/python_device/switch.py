"""On and off: what `enable` puts into PyTorch, `disable` takes out again."""

from __future__ import annotations

from typing import Any

import torch

from ..common import parallel
from ..common.patches import Patch, Patches
from . import backend, devices, threads
from .dtensor import answer_without_importing as prepare_short_process
from .operators import autocast
from .operators.dispatch import dispatch
from .patches import others, scripting, torch_cuda
from .tensors.tensor import CudaTensor

__all__ = [
    "TENSOR_CLASSES",
    "adopt_fork",
    "prepare_short_process",
    "set_count",
    "turn_off",
    "turn_on",
]

TENSOR_CLASSES = (CudaTensor,)
# Each has `patches()`: the names that it replaces.
PARTS = (torch_cuda, parallel, autocast, scripting, others, threads)

_patches = Patches()
_saved_swap: list[bool] = []
_libraries: list[Any] = []


def replaced() -> list[Patch]:
    """Every name of PyTorch (and `Thread.start`) that has another value while the device is on."""
    return [patch for part in PARTS for patch in part.patches()]


def set_count(count: int, *, follow: bool) -> None:
    """Let there be this many devices.

    Raises:
        ValueError: none, or more than there is room for.
    """
    devices.set_count(count)
    torch.cuda.default_generators = torch_cuda.generators(count)


def turn_on() -> None:
    """Put the device into PyTorch."""
    backend.register()  # not at import: with a backend registered, real CUDA cannot train
    if not _libraries:  # they stay, as the backend's name does: PyTorch goes over all its operators
        _libraries.extend(backend.fallback(_run))
    _patches.apply(replaced())
    # `Module._apply` swaps what a Parameter is, rather than its data, which C++ ties to a device.
    _saved_swap.append(torch.__future__.get_swap_module_params_on_conversion())
    torch.__future__.set_swap_module_params_on_conversion(True)
    threads.enter()


def turn_off() -> None:
    """Take it out again, in the opposite order."""
    threads.leave()
    torch.__future__.set_swap_module_params_on_conversion(_saved_swap.pop())
    _patches.undo()
    autocast.SWITCH.off()


def adopt_fork() -> None:
    """Do nothing: this device goes on in a forked child by itself."""


def _run(operator: Any, *args: Any, **kwargs: Any) -> Any:
    return dispatch(operator, (), args, kwargs)
