"""PyTorch's own defaults, whatever a notebook's cells or a caller have chosen.

Chosen may be a default device (`torch.set_default_device`, `with torch.device(...)`), a default
dtype, no gradients, inference mode and autocast. Each changes what a probe makes and compares.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import torch
from torch.utils import _device
from torch.utils._device import DeviceContext

_global: Any = torch._GLOBAL_DEVICE_CONTEXT


@contextmanager
def torch_defaults() -> Iterator[None]:
    """Let PyTorch be as after its import within the block, and restore what was chosen."""
    dtype = torch.get_default_dtype()
    with ExitStack() as stack, cpu_and_gradients():
        for kind in ("cpu", "cuda"):
            if torch.is_autocast_enabled(kind):
                stack.enter_context(torch.autocast(kind, enabled=False))
        torch.set_default_dtype(torch.float32)
        try:
            yield
        finally:
            torch.set_default_dtype(dtype)


@contextmanager
def cpu_and_gradients() -> Iterator[None]:
    """No default device, gradients on and no inference mode within the block; then as before.

    `torch.set_default_device(None)` is not enough: it leaves a `with torch.device(...)` as it is,
    and in such a block raises AssertionError if a default device was set before
    (`DeviceContext.__exit__` in torch/utils/_device.py). So the contexts are taken off the stack.
    """
    modes = _take_modes()
    _put_back(mode for mode in modes if not isinstance(mode, DeviceContext))
    chosen = getattr(_global, "device_context", None), _device.CURRENT_DEVICE
    _global.device_context, _device.CURRENT_DEVICE = None, None
    try:
        with torch.inference_mode(False):  # which turns gradients on too
            yield
    finally:
        _take_modes()
        _put_back(modes)
        _global.device_context, _device.CURRENT_DEVICE = chosen


def _take_modes() -> list[Any]:
    """All function modes of this thread, the outermost first, which then are off."""
    count = torch._C._len_torch_function_stack()
    return [torch._C._pop_torch_function_stack() for _ in range(count)][::-1]


def _put_back(modes: Iterable[Any]) -> None:
    for mode in modes:
        torch._C._push_on_torch_function_stack(mode)
