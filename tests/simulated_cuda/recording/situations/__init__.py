"""Short functions for what learners and maintainers meet on a CUDA device.

Each returns facts: a tensor is described (dtype, shape, device, grad_fn), and a function is called,
so that the fact is its result or its exception. See `outcomes.describe`.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

from ..outcomes import outcome

_FOUND: dict[str, Callable[[], Any]] = {}


def _all() -> dict[str, Callable[[], Any]]:
    """THEME/NAME -> function, for every public function that a theme's file defines."""
    themes = iter_modules([str(Path(__file__).parent)])
    for theme in [] if _FOUND else [file.name for file in themes if file.name[0] != "_"]:
        module = import_module(f"{__name__}.{theme}")
        for name, value in vars(module).items():
            own = getattr(value, "__module__", "") == module.__name__
            if own and callable(value) and not isinstance(value, type) and name[0] != "_":
                _FOUND[f"{theme}/{name}"] = value
    return _FOUND


def names() -> list[str]:
    return sorted(_all())


def facts(name: str) -> Any:
    """The facts of one situation, or the exception that it raised."""
    return outcome(_all()[name])


def needs_caching(name: str) -> bool:
    """Whether it is about the figures of PyTorch's caching allocator."""
    return "memory" in name.split("/")[0]
