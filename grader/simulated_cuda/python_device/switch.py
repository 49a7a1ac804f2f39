"""On and off: what `enable` puts into PyTorch, `disable` takes out again."""

from __future__ import annotations

import threading
from typing import Any

import torch
from torch.autograd.graph import saved_tensors_hooks
from torch.optim import optimizer
from torch.utils.hooks import BackwardHook

from ..common import parallel
from ..common.patches import Patches
from ..common.refusals import refuse
from . import backend, backward, devices
from .calls import CudaNames
from .dtensor import answer_without_importing as prepare_short_process
from .operators import autocast, randomness
from .operators.dispatch import dispatch
from .replaced import scripting, torch_cuda
from .tensors import lazy, saving
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

_patches = Patches()
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
    torch.cuda.default_generators = torch_cuda.generators(count)


def turn_on() -> None:
    """Put the simulation into PyTorch."""
    global _autocast
    backend.register()  # not at import: with a backend registered, real CUDA cannot train
    if not _libraries:  # they stay, as the backend's name does: PyTorch goes over all its operators
        _libraries.extend(backend.fallback(_run))
    for name, value in torch_cuda.replacements().items():
        for module in (torch.cuda, torch.cuda.random, torch.cuda.memory, torch.cuda.streams):
            if module is torch.cuda or name in vars(module):
                _patches.apply(module, name, value)
    for name, value in parallel.REPLACEMENTS.items():
        _patches.apply(torch._C, name, value)
    _autocast = autocast.Switches()
    _patches.apply(torch, "set_autocast_enabled", _autocast.enabled)
    run = torch.autograd._engine_run_backward  # type: ignore[attr-defined]
    _patches.apply(torch.autograd, "_engine_run_backward", backward.runner(run, CudaNames))
    saving_hooks = backward.saving_hooks(saved_tensors_hooks.__init__)
    _patches.apply(saved_tensors_hooks, "__init__", saving_hooks)
    hooks = BackwardHook._apply_on_tensors
    _patches.apply(BackwardHook, "_apply_on_tensors", backward.module_hooks(hooks))
    scripted: Any = torch.jit.ScriptModule
    _patches.apply(scripted, "_apply", scripting.apply(scripted._apply))
    _patches.apply(scripted, "__call__", scripting.call(scripted.__call__))
    _patches.apply(torch, "Generator", randomness.Generator)
    _patches.apply(torch.UntypedStorage, "to", saving.to)
    _patches.apply(torch.UntypedStorage, "cuda", saving.to)
    _patches.apply(torch._C, "_accelerator_getAccelerator", lambda: torch.device("cuda"))
    _patches.apply(torch.accelerator, "current_device_index", devices.current)
    _patches.apply(torch.utils, "swap_tensors", lazy.swap_parameter)
    _patches.apply(torch.nn.UninitializedParameter, "__new__", staticmethod(lazy.new_parameter))
    _patches.apply(torch.nn.UninitializedBuffer, "__new__", staticmethod(lazy.new))
    _patches.apply(torch.backends.cudnn.m, "is_acceptable", lambda tensor: False)  # type: ignore[attr-defined]
    _patches.apply(torch.cuda.nccl, "is_available", lambda tensors: False)
    _patches.apply(torch, "compile", refuse("torch.compile", "needs"))
    _patches.apply(threading.Thread, "start", _start)
    _patches.apply(
        optimizer, "_foreach_supported_types", [*optimizer._foreach_supported_types, CudaTensor]
    )
    _saved_swap.append(torch.__future__.get_swap_module_params_on_conversion())
    torch.__future__.set_swap_module_params_on_conversion(True)
    enter_thread()


def turn_off() -> None:
    """Take it out again."""
    leave_thread()
    torch.__future__.set_swap_module_params_on_conversion(_saved_swap.pop())
    _patches.undo()
    _autocast.off()


def adopt_fork() -> None:
    """Do nothing: this device goes on in a forked child by itself."""


def _run(operator: Any, *args: Any, **kwargs: Any) -> Any:
    return dispatch(operator, (), args, kwargs)


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
