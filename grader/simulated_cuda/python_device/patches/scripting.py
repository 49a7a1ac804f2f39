"""TorchScript: its modules keep their tensors in C++, and its interpreter loses error messages."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import torch

from ...common.patches import Patch
from .. import backward


def _apply(original: Callable[..., Any]) -> Callable[..., Any]:
    """`_apply`, after which C++ holds the moved Parameters, and not the ones before."""

    def move(self: Any, fn: Any, recurse: bool = True) -> Any:
        parameters = [(name, p) for name, p in self._parameters.items() if p is not None]
        original(self, fn, recurse)
        for name, parameter in parameters:
            self._c.setattr(name, parameter)
        return self

    return move


def _call(original: Callable[..., Any]) -> Callable[..., Any]:
    """`__call__`, whose errors end in the message of the operator that failed."""

    def run(self: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            return original(self, *args, **kwargs)
        except RuntimeError as error:
            if str(error).rstrip().endswith("RuntimeError:"):
                error.args = (f"{str(error).rstrip()} {backward.last_message()}\n",)
            raise

    return run


def patches() -> Iterator[Patch]:
    """Methods of `torch.jit.ScriptModule`."""
    scripted: Any = torch.jit.ScriptModule
    yield Patch(scripted, "_apply", _apply(scripted._apply), "C++ keeps the tensors of a module")
    yield Patch(scripted, "__call__", _call(scripted.__call__), "the interpreter loses messages")
