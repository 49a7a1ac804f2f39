"""On and off: what `enable` puts into PyTorch, `disable` takes out again."""

from __future__ import annotations

import threading
from typing import Any

import torch

from . import backend, runtime
from .calls import CudaNames
from .dispatch import dispatch

_saved: list[tuple[Any, str, Any]] = []
_MISSING = object()
_library: Any = None


class _Thread(threading.local):
    """The function mode of one thread, and how its backward ran before."""

    mode: Any = None
    multithreading: bool = True


_thread = _Thread()


def turn_on(devices: int) -> None:
    global _library
    runtime.count = devices
    _library = backend.fallback(lambda op, *args, **kwargs: dispatch(op, args, kwargs))
    for name, value in runtime.replacements().items():
        _put(torch.cuda, name, value)
    _put(torch._C, "_accelerator_getAccelerator", lambda: torch.device("cuda"))
    _put(threading.Thread, "start", _start)
    torch.__future__.set_swap_module_params_on_conversion(True)
    enter_thread()


def turn_off() -> None:
    global _library
    leave_thread()
    torch.__future__.set_swap_module_params_on_conversion(False)
    while _saved:
        space, name, value = _saved.pop()
        if value is _MISSING:
            delattr(space, name)
        else:
            setattr(space, name, value)
    _library._destroy()
    _library = None


def _put(space: Any, name: str, value: Any) -> None:
    _saved.append((space, name, vars(space).get(name, _MISSING)))
    setattr(space, name, value)


def enter_thread() -> None:
    """Modes are thread-local: each thread turns on its own."""
    if _thread.mode is None:
        _thread.mode = CudaNames()
        _thread.mode.__enter__()
        _thread.multithreading = backend.set_backward_in_calling_thread(True)


def leave_thread() -> None:
    if _thread.mode is not None:
        _thread.mode.__exit__(None, None, None)
        _thread.mode = None
        torch._C._set_multithreading_enabled(_thread.multithreading)


_original_start = threading.Thread.start


def _start(thread: threading.Thread) -> None:
    """`Thread.start`, with the mode on in the new thread."""
    run = thread.run

    def run_with_cuda() -> None:
        enter_thread()
        run()

    thread.run = run_with_cuda  # type: ignore[method-assign]
    _original_start(thread)
