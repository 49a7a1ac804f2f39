"""TorchScript: its modules keep their tensors in C++, and its interpreter loses error messages."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import backward


def apply(original: Callable[..., Any]) -> Callable[..., Any]:
    """`_apply`, after which C++ holds the Parameters that were moved, and not what they were."""

    def move(self: Any, fn: Any, recurse: bool = True) -> Any:
        parameters = [(name, p) for name, p in self._parameters.items() if p is not None]
        original(self, fn, recurse)
        for name, parameter in parameters:
            self._c.setattr(name, parameter)
        return self

    return move


def call(original: Callable[..., Any]) -> Callable[..., Any]:
    """Calling a scripted module: its interpreter's error ends in the words of the operator's."""

    def run(self: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            return original(self, *args, **kwargs)
        except RuntimeError as error:
            if str(error).rstrip().endswith("RuntimeError:"):
                error.args = (f"{str(error).rstrip()} {backward.last_words()}\n",)
            raise

    return run
