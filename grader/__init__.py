"""Where's My Tensor?: what stayed behind when a module moved to CUDA, and why.

Importing this package imports no torch, so that the command line starts at once: `simulated_cuda`
loads PyTorch when it is entered, and every other name is loaded when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

# Imported here and not on demand: the name must mean the context manager, and not the package of
# the same name, which the import system binds here whenever one of its modules is imported first.
from grader.simulated_cuda import simulated_cuda

if TYPE_CHECKING:
    __version__: str
    from grader.auditing import audit
    from grader.course import figures
    from grader.errors import GraderError
    from grader.learning import (
        check,
        device_map,
        ensure_cuda,
        exam,
        expected_error,
        hint,
        predict,
        progress,
        puzzle,
        reset,
        review,
        solution,
    )

__all__ = [
    "GraderError",
    "__version__",
    "audit",
    "check",
    "device_map",
    "ensure_cuda",
    "exam",
    "expected_error",
    "figures",
    "hint",
    "predict",
    "progress",
    "puzzle",
    "reset",
    "review",
    "simulated_cuda",
    "solution",
]
_NOT_OF_LEARNING = {"GraderError": "errors", "audit": "auditing", "figures": "course"}


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version("wheres-my-tensor")
    if name in __all__:
        home = _NOT_OF_LEARNING.get(name, "learning")
        return getattr(import_module(f"grader.{home}"), name)
    raise AttributeError(f"module 'grader' has no attribute '{name}'")


def __dir__() -> list[str]:
    return __all__
