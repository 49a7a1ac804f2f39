"""Records which line made each tensor, and the operands of the operation that raised.

A `TorchFunctionMode` (torch/overrides.py) sees every call of PyTorch's Python API before it reaches
a device, so a trace is the same on a simulated device as on a real one.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import nn

from grader.probe.inspection.frames import At, at, learners_frame
from grader.probe.inspection.names import NamedTensors
from grader.probe.inspection.operations import (
    LEAVES,
    MOVES,
    Calls,
    Operation,
    collect,
    computes,
    name_of,
    tensors_in,
)
from grader.probe.inspection.records import Failure, Seen, TensorOrigin
from grader.probe.inspection.sites import Class, scope_of
from grader.probe.inspection.source import NOWHERE, Position
from grader.schema import Site

# References to a tensor that nobody else holds, in `forget_dead`: that of its origin, the local
# variable, and the argument of `sys.getrefcount`. Where Python borrows a local variable, the count
# is lower, which `<=` allows.
REFERENCES_OF_OURS = 3
DEEPCOPY = torch.Tensor.__deepcopy__
SET_DATA = torch.Tensor.data.__set__  # type: ignore[attr-defined]


class Trace(Calls):
    """Records, while the mode is on, how each tensor was made.

    `now` is what it saw of the call under way, or of the last one. By the ids of tensors, `made`
    holds what made each, and `rebound` those to whose `.data` a line assigned, with that line.

    It holds the tensors themselves. A weak reference would do, but PyTorch will not move a
    Parameter that has one (`torch.utils.swap_tensors`).
    """

    def __init__(self, files: set[str], classes: Iterable[Class] = ()) -> None:
        super().__init__()
        self.files, self.classes = files, classes
        self.call = 0
        self.now = Seen()
        self.rebound: dict[int, tuple[torch.Tensor, At]] = {}
        self.made: dict[int, TensorOrigin] = {}

    def result_of(self, func: Operation, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Call `func`, and record its operands and results, or its failure."""
        try:
            result = func(*args, **kwargs)
        except Exception as error:
            self.now.failure = Failure(error, name_of(func), tuple(tensors_in((args, kwargs))))
            raise
        # In a constructor it counts only what is made, and to which `.data` is assigned.
        if self.call or result is None or type(result) not in LEAVES:
            self.remember(func, args, kwargs, result)
        return result

    @contextmanager
    def construction(self) -> Iterator[None]:
        """Count what is made in the block as made before any call, whichever instance it is of."""
        call, self.call, self.now = self.call, 0, Seen()
        try:
            yield
        finally:
            self.call = call

    def begin_call(self) -> None:
        """Begin another call of the module; what made older tensors is kept."""
        self.call += 1
        self.now = Seen()
        self.forget_dead()

    def position_of(self, tensor: torch.Tensor) -> Position:
        made = self.made.get(id(tensor))
        return made.location if made else NOWHERE

    def sites(self) -> Callable[[torch.Tensor], Site | None]:
        """What gives the expression that made a tensor's memory: no operation makes a Parameter."""
        latest_first = reversed(list(self.made.values()))
        by_memory = {_address(made.tensor): made for made in latest_first}

        def site_of(tensor: torch.Tensor) -> Site | None:
            made = by_memory.get(_address(tensor)) if _address(tensor) else None
            return made.site if made else None

        return site_of

    def remember(self, func: Operation, args: Any, kwargs: dict[str, Any], result: Any) -> None:
        """Record an operation. Hot path: it runs for each of them, and costs more than most do.

        Most give a tensor; most of the others read an attribute such as `shape`.
        """
        if func is DEEPCOPY:
            args = args[:1]  # the memo holds every tensor copied so far
        parents = tensors_in(args)
        if kwargs:
            collect(kwargs.values(), parents)
        keys = list(map(id, parents))
        self.now.read.update(keys)
        kind = type(result)
        if kind is torch.Tensor:
            results = [result]
        elif kind not in LEAVES:
            results = tensors_in((result,))
        else:
            self._remember_answer(func, parents, result)
            return
        operation = name_of(func)
        for tensor in results:
            key = id(tensor)
            if key not in self.made:
                own = [p for p in parents if p is not tensor] if key in keys else parents
                frame = learners_frame(self.files, above=4)  # the caller of the operation
                begins = not parents or parents[0].device != tensor.device
                scope = scope_of(frame) if begins else ()
                chosen = kwargs.get("device")
                if chosen is None and operation in MOVES:
                    chosen = args[1] if len(args) > 1 else operation.rpartition(".")[2]
                told = "" if chosen is None else str(chosen)
                self.made[key] = TensorOrigin(
                    tensor, operation, at(frame), self.call, tuple(own), scope, told
                )
        self._remember_work(operation, parents, result, results)

    def _remember_work(
        self,
        operation: str,
        operands: list[torch.Tensor],
        result: Any,
        results: list[torch.Tensor],
    ) -> None:
        if not operands:
            return
        if operation in MOVES:
            self._remember_move(operands[0], result)
        elif computes(operation) and any(tensor.is_floating_point() for tensor in results):
            if results[0].is_cuda:
                self.now.on_gpu += 1
                return
            self.now.on_cpu += 1
            if self.now.moved and any(map(self._is_moved_weight, operands)):
                self.now.weights_on_cpu += 1

    def _is_moved_weight(self, tensor: torch.Tensor) -> bool:
        """Whether it is a Parameter that this call moved, or a copy of one's numbers.

        Of `y = x.clone()` and `x.copy_(y)` each is a copy of the other.
        """
        seen = set[int]()
        while not isinstance(tensor, nn.Parameter):
            made = self.made.get(id(tensor))
            if made is None or not made.parents or made.call != self.call or id(tensor) in seen:
                return False
            if made.operation not in MOVES and computes(made.operation):
                return False
            seen.add(id(tensor))
            tensor = made.parents[0]
        return id(tensor) in self.now.moved

    def _remember_answer(self, func: Operation, parents: list[torch.Tensor], result: Any) -> None:
        if result is None and func == SET_DATA:  # by equality: a new wrapper at each access
            if here := at(learners_frame(self.files, above=4)):
                self.rebound[id(parents[0])] = parents[0], here
            else:  # a move of the whole module
                self.rebound.pop(id(parents[0]), None)

    def _remember_move(self, moved: torch.Tensor, result: torch.Tensor) -> None:
        self.now.asked_to_move.add(id(moved))
        if result.device != moved.device:
            self.now.moved.add(id(moved))
            self.now.moved_at[id(moved)] = at(learners_frame(self.files)), result.device

    def forget_dead(self) -> None:
        """Drop records of tensors that nothing else refers to.

        The newest first: a record refers to its tensor's parents, which are older.
        """
        for key in reversed(list(self.made)):
            tensor = self.made[key].tensor
            if sys.getrefcount(tensor) <= REFERENCES_OF_OURS + (key in self.rebound):
                del self.made[key]
                self.now.moved_at.pop(key, None)  # another tensor may get its id
        for key, (tensor, _) in list(self.rebound.items()):
            if sys.getrefcount(tensor) <= REFERENCES_OF_OURS:
                del self.rebound[key]

    def position_of_move(self, tensor: torch.Tensor, origin: torch.Tensor) -> Position | None:
        """The line of this call that moved a tensor or its origin; None if none did."""
        moved = self.move_of(tensor, origin)
        return (moved[0].position if moved[0] else NOWHERE) if moved else None

    def move_of(
        self, tensor: torch.Tensor, origin: torch.Tensor
    ) -> tuple[At | None, torch.device] | None:
        return self.now.moved_at.get(id(tensor)) or self.now.moved_at.get(id(origin))

    def origin(self, tensor: torch.Tensor, names: NamedTensors) -> torch.Tensor:
        """Follow a tensor's data back to where it came onto its device.

        1. Stop at a tensor that has a name: an attribute, a global or an input.
        2. Stop at one that no recorded operation made, or one without operands, as `torch.zeros`.
        3. Stop at a move from another device, and where no operand is on this device.
        4. Otherwise go on with an operand on this device: one that has a name, or the first. The
           operand of `zeros_like` or `new_zeros` lends no data, but its device.
        """
        while not names.has(tensor):
            made = self.made.get(id(tensor))
            parents = made.parents if made else ()
            if made is None or not parents:
                return tensor
            same_device = [parent for parent in parents if parent.device == tensor.device]
            was_moved = made.operation in MOVES and parents[0].device != tensor.device
            if not same_device or was_moved:
                return tensor
            named = [parent for parent in same_device if names.has(parent)]
            tensor = (named or same_device)[0]
        return tensor


def _address(tensor: torch.Tensor) -> int:
    """Of its memory; 0 if it has none of its own."""
    try:
        return tensor.data_ptr()
    except (RuntimeError, ValueError):  # sparse, meta, functional, or without a shape
        return 0
