"""The calls of PyTorch's Python API that a `TorchFunctionMode` sees: their names and tensors."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

import torch
from torch import nn
from torch.overrides import TorchFunctionMode, resolve_name

MOVES = frozenset({"torch.Tensor.to", "torch.Tensor.cuda", "torch.Tensor.cpu"})
COPIES = frozenset(
    f"torch.Tensor.{name}"
    for name in ("clone", "detach", "__getitem__", "view", "float", "double", "numpy", "copy_")
) | {"torch.stack", "torch.clone", "torch.cat"}
# The usual arguments that hold no tensor.
LEAVES = frozenset(
    {bool, int, float, str, slice, type(None), type(...), torch.dtype, torch.device, torch.Size}
)

Operation = Callable[..., Any]
OURS = ("torch.", "grader.")  # the modules of PyTorch, of the probe and of the simulated device


class Calls(TorchFunctionMode):
    """Stands between the learner's code and PyTorch, while the mode is on."""

    def __torch_function__(
        self,
        func: Operation,
        types: Iterable[type],
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        return self.result_of(func, args, kwargs or {})

    def result_of(self, func: Operation, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """What the operation gives, or raises."""
        return func(*args, **kwargs)


@cache
def computes(operation: str) -> bool:
    """Whether an operation gives other numbers than its operands have."""
    return operation not in COPIES and not operation.endswith(
        ("__get__", "__set__", "_grad_", "flatten_weight")
    )


@cache
def name_of(func: Operation) -> str:
    """The qualified name of an operation, such as `torch.Tensor.masked_fill`."""
    return str(resolve_name(func) or getattr(func, "__name__", type(func).__name__))


def tensors_in(arguments: Iterable[Any]) -> list[torch.Tensor]:
    """The tensors in nested arguments. No pytree, and the usual types are told by identity."""
    found: list[torch.Tensor] = []
    collect(arguments, found)
    return found


def collect(elements: Iterable[Any], found: list[torch.Tensor]) -> None:
    """Put the tensors in nested arguments into `found`."""
    for element in elements:
        kind = type(element)
        if kind is torch.Tensor or kind is nn.Parameter:
            found.append(element)
        elif kind in LEAVES:
            continue
        elif kind is tuple or kind is list:
            collect(element, found)
        elif isinstance(element, torch.Tensor):
            found.append(element)
        elif isinstance(element, (tuple, list)):
            collect(list(element), found)
        elif isinstance(element, dict):
            collect(list(element.values()), found)
