"""Which line made each tensor, and what went into the operation that raised.

A `TorchFunctionMode` sees every call of PyTorch's Python interface before the device does, so it
reads the same on a simulated device as on a real one.
"""

from __future__ import annotations

import linecache
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from operator import call
from typing import Any

import torch
from torch import nn
from torch.overrides import TorchFunctionMode, resolve_name

from grader.evidence import Operand, Output, Raised
from grader.inspection.source import Run, describe_exception, learner_place

REFERENCES_OF_OURS = 3  # the record, the local variable, and getrefcount's own argument
FACTORY = re.compile(r"_like$|\.new_\w+$")
SET_DATA = torch.Tensor.data.__set__  # type: ignore[attr-defined]
MOVES = frozenset({"torch.Tensor.to", "torch.Tensor.cuda", "torch.Tensor.cpu"})


@dataclass(frozen=True)
class Made:
    """How a tensor came to be.

    Attributes:
        tensor: the tensor itself: while it is kept, Python gives its id to no other.
        place: the learner's file and line. call: the number of the module's call, 0 before any.
        parents: the tensors that went in.
    """

    tensor: torch.Tensor
    operation: str
    place: tuple[str, int]
    call: int
    parents: tuple[torch.Tensor, ...]


@dataclass(frozen=True)
class Failure:
    """The operation that raised, and its tensors."""

    error: BaseException
    operation: str
    operands: tuple[torch.Tensor, ...]


@dataclass(frozen=True)
class Known:
    """Tensors that have a name, by `id(tensor)`: what the module holds, globals, and inputs."""

    attributes: Mapping[int, str] = field(default_factory=dict)
    globals: Mapping[int, str] = field(default_factory=dict)
    inputs: Mapping[int, str] = field(default_factory=dict)
    in_loss: frozenset[int] = frozenset()

    def has(self, tensor: torch.Tensor) -> bool:
        """Whether it has a name."""
        named = (self.attributes, self.globals, self.inputs)
        return any(id(tensor) in names for names in named)


class Trace(TorchFunctionMode):
    """Remembers, while it is on, how each tensor was made.

    `read` are the ids of all that went into an operation during this call, `rows_moved` is the
    length of the longest tensor that was moved in it, and `rebound` holds the lines that assigned
    to a tensor's `.data`, by its id.

    It holds the tensors themselves. A weak reference would do, but PyTorch will not move a
    Parameter that has one (`torch.utils.swap_tensors`).
    """

    def __init__(self, files: set[str]) -> None:
        super().__init__()
        self.files = files
        self.call = 0
        self.moved: set[int] = set()
        self.rows_moved = 0
        self.asked_to_move: set[int] = set()
        self.read: set[int] = set()
        self.rebound: dict[int, int] = {}
        self._made: dict[int, Made] = {}
        self._moved_line: dict[int, tuple[int, torch.device]] = {}
        self._failure: Failure | None = None

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Iterable[type],
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        """Call through, and remember what went in and came out."""
        kwargs = kwargs or {}
        try:
            result = func(*args, **kwargs)
        except Exception as error:
            self._failure = Failure(error, name_of(func), tuple(_tensors((args, kwargs))))
            raise
        self._remember(func, args, kwargs, result)
        return result

    def begin_call(self) -> None:
        """Begin to watch another call of the module."""
        self.call += 1
        self.moved.clear()
        self.rows_moved = 0
        self.asked_to_move.clear()
        self.read.clear()
        self._moved_line.clear()
        self._failure = None
        self._forget_dead()

    def line_of(self, tensor: torch.Tensor) -> int:
        """The learner's line that made it, 0 if unknown."""
        made = self._made.get(id(tensor))
        return made.place[1] if made else 0

    def describe(self, error: BaseException, known: Known, run: Run = call) -> Raised:
        """What was raised, with the operands of the operation that raised it."""
        raised = describe_exception(error, self.files, run)
        failure = self._failure
        if failure is None or failure.error is not error:
            return raised
        operands = tuple(self._operand(each, known) for each in failure.operands)
        return replace(raised, operation=failure.operation, operands=operands)

    def describe_output(self, output: Output, tensor: torch.Tensor, known: Known) -> Output:
        """`output` with what its data came from on this device."""
        origin = self._origin(tensor, known)
        made = self._made.get(id(origin))
        output = replace(output, held_at=known.attributes.get(id(origin), ""))
        if made is None:
            return output
        code = _code_at(made.place)
        return replace(output, made_by=made.operation, line=made.place[1], code=code)

    def _remember(
        self, func: Callable[..., Any], args: Any, kwargs: dict[str, Any], result: Any
    ) -> None:
        if func is torch.Tensor.__deepcopy__:
            args = args[:1]  # the memo holds every tensor copied so far
        parents = tuple(_tensors((args, kwargs)))
        if func == SET_DATA:  # another object each time it is asked for
            self.rebound[id(parents[0])] = learner_place(self.files)[1]
        operation = ""
        for parent in parents:
            self.read.add(id(parent))
        for tensor in _tensors(result):
            if id(tensor) in self._made:
                continue
            operation = operation or name_of(func)
            own = tuple(parent for parent in parents if parent is not tensor)
            place = learner_place(self.files)
            self._made[id(tensor)] = Made(tensor, operation, place, self.call, own)
        if parents and name_of(func) in MOVES:
            self.asked_to_move.add(id(parents[0]))
            if result.device != parents[0].device:
                self.moved.add(id(parents[0]))
                self.rows_moved = max(self.rows_moved, 0, *result.shape[:1])
                line = learner_place(self.files)[1]
                self._moved_line[id(parents[0])] = line, result.device

    def _forget_dead(self) -> None:
        """Drop what nobody else refers to: the newest first, as they refer to the older ones."""
        for key in reversed(list(self._made)):
            tensor = self._made[key].tensor
            if sys.getrefcount(tensor) <= REFERENCES_OF_OURS:
                del self._made[key]

    def _operand(self, tensor: torch.Tensor, known: Known) -> Operand:
        origin = self._origin(tensor, known)
        made = self._made.get(id(origin))
        place = made.place if made else ("", 0)
        moved = self._moved_line.get(id(tensor)) or self._moved_line.get(id(origin))
        described = Operand(
            device=str(tensor.device),
            shape=tuple(tensor.shape),
            line=place[1],
            code=_code_at(place),
            earlier=made is not None and made.call < self.call,
            moved_line=moved[0] if moved else 0,
            moved_in_place=moved is not None and moved[1] == origin.device,
            is_parameter=isinstance(origin, nn.Parameter),
            in_loss=id(origin) in known.in_loss,
        )
        if id(origin) in known.inputs:
            return replace(described, source="input", name=known.inputs[id(origin)])
        if id(origin) in known.attributes:
            return replace(described, source="attribute", name=known.attributes[id(origin)])
        if id(origin) in known.globals:
            return replace(described, source="global", name=known.globals[id(origin)])
        if made is not None:
            return replace(described, source="made", name=made.operation)
        return described

    def _origin(self, tensor: torch.Tensor, known: Known) -> torch.Tensor:
        """The tensor its data came from without leaving its device."""
        while not known.has(tensor):
            made = self._made.get(id(tensor))
            parents = made.parents if made else ()
            if made is None or not parents or FACTORY.search(made.operation):
                return tensor
            same_device = [parent for parent in parents if parent.device == tensor.device]
            was_moved = made.operation in MOVES and parents[0].device != tensor.device
            if not same_device or was_moved:
                return tensor
            named = [parent for parent in same_device if known.has(parent)]
            tensor = (named or same_device)[0]
        return tensor


@cache
def name_of(func: Callable[..., Any]) -> str:
    """`torch.Tensor.masked_fill`, say."""
    return str(resolve_name(func) or getattr(func, "__name__", type(func).__name__))


def _code_at(place: tuple[str, int]) -> str:
    return linecache.getline(*place).strip() if place[1] else ""


def _tensors(tree: Any) -> list[torch.Tensor]:
    """The tensors in nested arguments; this runs for every call of PyTorch, so it is plain."""
    found: list[torch.Tensor] = []
    _collect(tree, found)
    return found


def _collect(tree: Any, found: list[torch.Tensor]) -> None:
    if isinstance(tree, torch.Tensor):
        found.append(tree)
    elif isinstance(tree, tuple | list):
        for each in tree:
            _collect(each, found)
    elif isinstance(tree, dict):
        for each in tree.values():
            _collect(each, found)
