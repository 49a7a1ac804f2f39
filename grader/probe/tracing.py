"""Which line made each tensor, and what went into the operation that raised.

A `TorchFunctionMode` sees every call of PyTorch's Python interface before the device does, so it
reads the same on a simulated device as on a real one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch.overrides import TorchFunctionMode, resolve_name
from torch.utils._pytree import tree_leaves

from grader.evidence import Operand, Raised
from grader.probe.source import describe_exception, learner_line


@dataclass(frozen=True)
class Made:
    """How a tensor came to be: the call, the learner's line, and the tensors that went in."""

    operation: str
    line: int
    parents: tuple[torch.Tensor, ...]


@dataclass(frozen=True)
class Failure:
    """The operation that raised, and its tensors."""

    error: BaseException
    operation: str
    operands: tuple[torch.Tensor, ...]


class Trace(TorchFunctionMode):
    """Remembers, while it is on, how each tensor was made; keeps them alive until it is dropped."""

    def __init__(self, files: set[str]) -> None:
        super().__init__()
        self.files = files
        self._made: dict[int, Made] = {}
        self._kept: list[torch.Tensor] = []
        self._failure: Failure | None = None

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Iterable[type],
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        """Call through, and remember what came out."""
        kwargs = kwargs or {}
        try:
            result = func(*args, **kwargs)
        except Exception as error:
            self._failure = Failure(error, _name_of(func), tuple(_tensors((args, kwargs))))
            raise
        self._remember(func, args, kwargs, result)
        return result

    def lines(self) -> Mapping[int, int]:
        """By `id(tensor)`, the line that made it."""
        return {key: made.line for key, made in self._made.items()}

    def describe(
        self, error: BaseException, attributes: Mapping[int, str], inputs: Iterable[torch.Tensor]
    ) -> Raised:
        """What was raised, with the operands of the operation that raised it.

        Args:
            error: the exception.
            attributes: by `id(tensor)`, the path of each tensor that the module holds.
            inputs: what `forward` was given.
        """
        raised = describe_exception(error, self.files)
        failure = self._failure
        if failure is None or failure.error is not error:
            return raised
        named_inputs = {id(each): f"input {i}" for i, each in enumerate(inputs)}
        operands = (self._operand(each, attributes, named_inputs) for each in failure.operands)
        return replace(raised, operation=failure.operation, operands=tuple(operands))

    def _remember(
        self, func: Callable[..., Any], args: Any, kwargs: dict[str, Any], result: Any
    ) -> None:
        parents: tuple[torch.Tensor, ...] | None = None
        for tensor in _tensors(result):
            if id(tensor) in self._made:
                continue
            if parents is None:
                parents = tuple(_tensors((args, kwargs)))
            if any(tensor is parent for parent in parents):
                continue
            self._made[id(tensor)] = Made(_name_of(func), learner_line(self.files), parents)
            self._kept.append(tensor)

    def _operand(
        self, tensor: torch.Tensor, attributes: Mapping[int, str], inputs: Mapping[int, str]
    ) -> Operand:
        origin = self._origin(tensor, attributes, inputs)
        made = self._made.get(id(origin))
        described = Operand(device=str(tensor.device), shape=tuple(tensor.shape))
        if id(origin) in inputs:
            return replace(described, source="input", name=inputs[id(origin)])
        if id(origin) in attributes:
            line = made.line if made else 0
            return replace(described, source="attribute", name=attributes[id(origin)], line=line)
        if made is not None:
            return replace(described, source="made", name=made.operation, line=made.line)
        return described

    def _origin(
        self, tensor: torch.Tensor, attributes: Mapping[int, str], inputs: Mapping[int, str]
    ) -> torch.Tensor:
        """The tensor its data came from without leaving its device."""
        while id(tensor) not in attributes and id(tensor) not in inputs:
            made = self._made.get(id(tensor))
            parents = made.parents if made else ()
            if made is None or made.operation.endswith(("_like", ".new_zeros", ".new_ones")):
                return tensor
            same_device = [parent for parent in parents if parent.device == tensor.device]
            if not same_device or len(same_device) < len(parents):
                return tensor
            tensor = same_device[0]
        return tensor


def _name_of(func: Callable[..., Any]) -> str:
    return str(resolve_name(func) or getattr(func, "__name__", type(func).__name__))


def _tensors(tree: Any) -> Iterator[torch.Tensor]:
    if isinstance(tree, torch.Tensor):
        yield tree
    elif isinstance(tree, tuple | list | dict):
        yield from (leaf for leaf in tree_leaves(tree) if isinstance(leaf, torch.Tensor))
