"""A CUDA device on any machine: `"cuda"` works, with real values, and fails as a GPU would.

    from grader import simulated_cuda

    with simulated_cuda(devices=2):
        layer = torch.nn.Linear(3, 4).cuda()
        layer(torch.ones(1, 3))     # RuntimeError: Expected all tensors to be on the same ...

Two implementations (`interface.Device`) stand behind it; `implementation()` names the one in use:

    native/         C++: tensors are plain tensors whose device type is CUDA
    python_device/  Python only, for machines with neither a compiler nor a built library

Importing this package imports neither PyTorch nor an implementation; `enable` does.
"""

from __future__ import annotations

import sys
from contextlib import ContextDecorator

from .choice import Implementation, cache_folder, compile_beforehand, implementation
from .common.compiling import compile_was_requested, forget_compile_request
from .environment import DEVICES_VARIABLE, requested_devices
from .errors import LibraryError, SettingError, SimulatedCudaError

__all__ = [
    "DEVICES_VARIABLE",
    "Implementation",
    "LibraryError",
    "SettingError",
    "SimulatedCudaError",
    "adopt_fork",
    "cache_folder",
    "compile_beforehand",
    "compile_was_requested",
    "disable",
    "enable",
    "forget_compile_request",
    "implementation",
    "is_enabled",
    "prepare_short_process",
    "requested_devices",
    "simulated_cuda",
    "tensor_classes",
]

# The arguments of every `enable` that is not undone yet, the innermost last.
_counts: list[tuple[int, bool]] = []


def enable(devices: int = 2, *, follow_environment: bool = True) -> None:
    """Make "cuda" mean a simulated device until the matching `disable`.

    Args:
        devices: how many there are, `cuda:0` and so on; 0 for a machine without a GPU. Calls nest:
            the innermost count holds.
        follow_environment: whether CUDA_VISIBLE_DEVICES hides devices, as CUDA's. The grader says
            no: there the variable keeps a real GPU away.

    Raises:
        LibraryError: `SIMULATED_CUDA_IMPLEMENTATION=native`, and the library cannot be had.
        SettingError: that variable names no implementation.
        ValueError: the Python device has too few places.
        RuntimeError: the native device has too few places.
    """
    from . import choice

    device = choice.load()
    if not _counts:
        device.turn_on()
    _counts.append((devices, follow_environment))
    device.set_count(devices, follow=follow_environment)


def disable() -> None:
    """Undo one `enable`; the last one takes the device out of PyTorch. Without one, do nothing."""
    if not _counts:
        return
    from . import choice

    device = choice.load()
    _counts.pop()
    if _counts:
        devices, follow_environment = _counts[-1]
        device.set_count(devices, follow=follow_environment)
    else:
        device.turn_off()


def is_enabled() -> bool:
    """Whether "cuda" means the simulated device now."""
    return bool(_counts)


class simulated_cuda(ContextDecorator):  # noqa: N801  (used like a function, as `torch.no_grad` is)
    """Make "cuda" a simulated device inside a `with` block, or a decorated function.

    `simulated_cuda.enable()`, `.disable()`, `.is_enabled()` and `.implementation()` are the
    functions of this package, for those who have only the name that `grader` exports.

    >>> import torch
    >>> with simulated_cuda(devices=2):
    ...     layer = torch.nn.Linear(3, 4).cuda()
    ...     layer.weight.device, layer(torch.ones(1, 3, device="cuda")).device
    (device(type='cuda', index=0), device(type='cuda', index=0))
    >>> layer.weight.device, torch.cuda.is_available()
    (device(type='cuda', index=0), False)
    """

    enable = staticmethod(enable)
    disable = staticmethod(disable)
    is_enabled = staticmethod(is_enabled)
    implementation = staticmethod(implementation)

    def __init__(self, devices: int = 2) -> None:
        self.devices = devices

    def __enter__(self) -> None:
        enable(self.devices)

    def __exit__(self, *_: object) -> None:
        disable()


def adopt_fork() -> None:
    """Let this forked child go on with the device that its parent had on.

    Without this the native device fails in a child as CUDA does: `Cannot re-initialize CUDA in
    forked subprocess`.
    """
    from . import choice

    if _counts:
        choice.load().adopt_fork()


def prepare_short_process() -> None:
    """Spare this process PyTorch's slow imports. Only for one that ends after one short task.

    It may enable the device for a moment, so only a process that simulates CUDA calls it.
    """
    from . import choice

    choice.load().prepare_short_process()


def tensor_classes() -> tuple[type, ...]:
    """The classes of the device's tensors that are not `torch.Tensor`.

    Empty before the first `enable`, and always for the native device. Loads nothing.
    """
    loaded = sys.modules.get(f"{__name__}.python_device.switch")
    return getattr(loaded, "TENSOR_CLASSES", ())
