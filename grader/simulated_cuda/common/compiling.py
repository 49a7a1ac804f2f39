"""`torch.compile`, which would generate code for a GPU, on the simulated device."""

from __future__ import annotations

import warnings
from typing import Any

# A list, as the guard takes a name that is bound again for tampering.
_requests: list[str] = []


def leave_uncompiled(model: Any = None, **options: Any) -> Any:
    """Stand in for `torch.compile`: give back its argument, which then runs uncompiled."""
    _requests.append("torch.compile")
    warnings.warn(
        "torch.compile does nothing on the simulated CUDA device: the function runs uncompiled.",
        stacklevel=2,
    )
    return (lambda function: function) if model is None else model


def checking_first(compile_function: Any) -> Any:
    """The same, after PyTorch's `torch.compile` has looked at the arguments.

    It raises where an argument is wrong, and compiles nothing before the first call. Where there is
    nothing to look at, it is not asked: it imports a lot.
    """

    def run(model: Any = None, **options: Any) -> Any:
        if model is None:
            return lambda function: run(function, **options)
        if options or not callable(model):
            compile_function(model, **options)
        return leave_uncompiled(model)

    return run


def compile_was_requested() -> bool:
    """Whether anything was to be compiled since `forget_compile_request`, or the process began."""
    return bool(_requests)


def forget_compile_request() -> None:
    """Start over, in a process that probes one module."""
    _requests.clear()
