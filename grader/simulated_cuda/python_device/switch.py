"""On and off: what `enable` puts into PyTorch, `disable` takes out again."""

from __future__ import annotations

import threading
from typing import Any

import torch
from torch.autograd.graph import saved_tensors_hooks
from torch.optim import optimizer
from torch.utils.hooks import BackwardHook

from . import (
    autocast,
    backend,
    backward,
    cuda_module,
    devices,
    lazy,
    parallel,
    randomness,
    saving,
    scripting,
)
from .calls import CudaNames
from .dispatch import dispatch
from .tensor import CudaTensor

_saved: list[tuple[Any, str, Any]] = []
_MISSING = object()
_saved_swap: list[bool] = []
_libraries: list[Any] = []
_autocast: Any = None


class _Thread(threading.local):
    """The function mode of one thread, and how its backward ran before."""

    mode: Any = None
    before: bool = False


_thread = _Thread()


def set_count(count: int) -> None:
    """How many devices there are."""
    devices.set_count(count)
    torch.cuda.default_generators = cuda_module.generators(count)


def turn_on() -> None:
    """Put the simulation into PyTorch."""
    global _autocast
    backend.register()  # not at import: with a backend registered, real CUDA cannot train
    if not _libraries:  # they stay, as the backend's name does: PyTorch goes over all its operators
        _libraries.extend(backend.fallback(_run))
    for name, value in cuda_module.replacements().items():
        for module in (torch.cuda, torch.cuda.random, torch.cuda.memory, torch.cuda.streams):
            if module is torch.cuda or name in vars(module):
                _put(module, name, value)
    for name, value in parallel.REPLACEMENTS.items():
        _put(torch._C, name, value)
    _autocast = autocast.Switches()
    _put(torch, "set_autocast_enabled", _autocast.enabled)
    run = torch.autograd._engine_run_backward  # type: ignore[attr-defined]
    _put(torch.autograd, "_engine_run_backward", backward.runner(run, CudaNames))
    saving_hooks = backward.saving_hooks(saved_tensors_hooks.__init__)
    _put(saved_tensors_hooks, "__init__", saving_hooks)
    hooks = BackwardHook._apply_on_tensors
    _put(BackwardHook, "_apply_on_tensors", backward.module_hooks(hooks))
    scripted: Any = torch.jit.ScriptModule
    _put(scripted, "_apply", scripting.apply(scripted._apply))
    _put(scripted, "__call__", scripting.call(scripted.__call__))
    _put(torch, "Generator", randomness.Generator)
    _put(torch.UntypedStorage, "to", saving.to)
    _put(torch.UntypedStorage, "cuda", saving.to)
    _put(torch._C, "_accelerator_getAccelerator", lambda: torch.device("cuda"))
    _put(torch.accelerator, "current_device_index", devices.current)
    _put(torch.utils, "swap_tensors", lazy.swap_parameter)
    _put(torch.nn.UninitializedParameter, "__new__", staticmethod(lazy.new_parameter))
    _put(torch.nn.UninitializedBuffer, "__new__", staticmethod(lazy.new))
    _put(torch.backends.cudnn.m, "is_acceptable", lambda tensor: False)  # type: ignore[attr-defined]
    _put(torch.cuda.nccl, "is_available", lambda tensors: False)
    _put(torch, "compile", cuda_module.cannot("torch.compile", "needs"))
    _put(threading.Thread, "start", _start)
    _put(optimizer, "_foreach_supported_types", [*optimizer._foreach_supported_types, CudaTensor])
    _saved_swap.append(torch.__future__.get_swap_module_params_on_conversion())
    torch.__future__.set_swap_module_params_on_conversion(True)
    enter_thread()


def turn_off() -> None:
    """Take it out again."""
    leave_thread()
    torch.__future__.set_swap_module_params_on_conversion(_saved_swap.pop())
    while _saved:
        space, name, value = _saved.pop()
        if value is _MISSING:
            delattr(space, name)
        else:
            setattr(space, name, value)
    _autocast.off()


def _run(operator: Any, *args: Any, **kwargs: Any) -> Any:
    return dispatch(operator, (), args, kwargs)


def _put(space: Any, name: str, value: Any) -> None:
    _saved.append((space, name, vars(space).get(name, _MISSING)))
    setattr(space, name, value)


def enter_thread() -> None:
    """Modes are thread-local: each thread turns on its own."""
    if _thread.mode is None:
        _thread.mode = CudaNames()
        _thread.mode.__enter__()
        _thread.before = backend.backward_in_calling_thread(True)


def leave_thread() -> None:
    """Turn this thread's mode off again."""
    if _thread.mode is not None:
        _thread.mode.__exit__(None, None, None)
        _thread.mode = None
        backend.backward_in_calling_thread(_thread.before)


_original_start = threading.Thread.start


def _start(thread: threading.Thread) -> None:
    """`Thread.start`, with the mode on in the new thread."""
    run = thread.run

    def run_with_cuda() -> None:
        enter_thread()
        run()

    thread.run = run_with_cuda  # type: ignore[method-assign]
    _original_start(thread)
