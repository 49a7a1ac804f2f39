"""A CUDA device on any machine: `"cuda"` works, with real values, and fails as a GPU would.

    from grader import simulated_cuda

    with simulated_cuda(devices=2):
        layer = torch.nn.Linear(3, 4).cuda()
        layer(torch.ones(1, 3))     # RuntimeError: Expected all tensors to be on the same ...

There are two implementations behind this interface, and `implementation()` names the one in use:

    native/         C++: tensors are plain tensors whose device type is CUDA
    python_device/  Python only, for machines with neither a compiler nor a built library

Importing this package imports neither PyTorch nor an implementation; `enable` does.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

from .choice import Implementation, implementation

__all__ = [
    "Implementation",
    "adopt_fork",
    "disable",
    "enable",
    "implementation",
    "is_enabled",
    "prepare_short_process",
    "simulated_cuda",
    "tensor_classes",
]

_counts: list[int] = []  # of the calls of `enable` that are not undone yet


def enable(devices: int = 2) -> None:
    """Make "cuda" mean a simulated device, with `devices` of them, until `disable`.

    Calls nest: the innermost says how many devices there are.
    """
    from . import choice

    device = choice.load()
    if not _counts:
        device.turn_on()
    _counts.append(devices)
    device.set_count(devices)


def disable() -> None:
    """Undo one `enable`; the last one takes the device out of PyTorch again."""
    if not _counts:
        return
    from . import choice

    device = choice.load()
    _counts.pop()
    if _counts:
        device.set_count(_counts[-1])
    else:
        device.turn_off()


def is_enabled() -> bool:
    """Whether "cuda" means the simulated device now."""
    return bool(_counts)


@contextmanager
def simulated_cuda(devices: int = 2) -> Iterator[None]:
    """Make "cuda" a simulated device inside the `with` block.

    >>> import torch
    >>> with simulated_cuda(devices=2):
    ...     layer = torch.nn.Linear(3, 4).cuda()
    ...     layer.weight.device, layer(torch.ones(1, 3, device="cuda")).device
    (device(type='cuda', index=0), device(type='cuda', index=0))
    >>> layer.weight.device, torch.cuda.is_available()
    (device(type='cuda', index=0), False)
    """
    enable(devices)
    try:
        yield
    finally:
        disable()


def adopt_fork() -> None:
    """Let this forked child go on with the device that its parent had on.

    Without this the native device fails in a child as CUDA does: `Cannot re-initialize CUDA in
    forked subprocess`.
    """
    from . import choice

    if _counts:
        getattr(choice.load(), "adopt_fork", lambda: None)()


def prepare_short_process() -> None:
    """Spare this process PyTorch's slow imports. Only for one that ends after one short task.

    It may enable the device for a moment, so only a process that simulates CUDA calls it.
    """
    from . import choice

    getattr(choice.load(), "prepare_short_process", lambda: None)()


def tensor_classes() -> tuple[type, ...]:
    """The classes of the device's tensors that are not `torch.Tensor`.

    None before the first `enable`, and none of the native device: this loads nothing.
    """
    loaded = sys.modules.get(f"{__name__}.python_device")
    return getattr(loaded, "TENSOR_CLASSES", ())


class _Callable(ModuleType):
    """So that `from grader import simulated_cuda` gives something to call as well."""

    def __call__(self, devices: int = 2) -> Any:
        return simulated_cuda(devices)


sys.modules[__name__].__class__ = _Callable
