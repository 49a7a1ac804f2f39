"""Records which line made each tensor, and the operands of the operation that raised.

A `TorchFunctionMode` (torch/overrides.py) sees every call of PyTorch's Python API before it reaches
a device, so a trace is the same on a simulated device as on a real one.
"""

from __future__ import annotations

import linecache
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from operator import call
from typing import Any

import torch
from msgspec.structs import replace
from torch import nn

from grader.probe.inspection.exceptions import causes_of, describe_exception
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
from grader.probe.inspection.sites import Class, scope_of, site_of, unseen_maker
from grader.probe.inspection.source import NOWHERE, Position, Runner
from grader.schema import Operand, Output, Raised, Site

# References to a tensor that nobody else holds, in `forget_dead`: `Made.tensor`, the local
# variable, and the argument of `sys.getrefcount`. Where Python borrows a local variable, the count
# is lower, which `<=` allows.
REFERENCES_OF_OURS = 3
DEEPCOPY = torch.Tensor.__deepcopy__
SET_DATA = torch.Tensor.data.__set__  # type: ignore[attr-defined]
# What the autograd engine says of a gradient on another device than the tensor it belongs to.
INVALID_GRADIENT = re.compile(r"invalid gradient at index .* expected device (\S+) but got (\S+)")


class Trace(Calls):
    """Records, while the mode is on, how each tensor was made.

    `now` is what it saw of the call under way, or of the last one. `rebound` holds, by their
    ids, the tensors to whose `.data` a line assigned, with that line.

    It holds the tensors themselves. A weak reference would do, but PyTorch will not move a
    Parameter that has one (`torch.utils.swap_tensors`).
    """

    def __init__(self, files: set[str], classes: Iterable[Class] = ()) -> None:
        super().__init__()
        self.files, self.classes = files, classes
        self.call = 0
        self.now = Seen()
        self.rebound: dict[int, tuple[torch.Tensor, At]] = {}
        self._made: dict[int, TensorOrigin] = {}

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
        made = self._made.get(id(tensor))
        return made.location if made else NOWHERE

    def sites(self) -> Callable[[torch.Tensor], Site | None]:
        """What gives the expression that made a tensor's memory: no operation makes a Parameter."""
        latest_first = reversed(list(self._made.values()))
        by_memory = {_address(made.tensor): made for made in latest_first}

        def site_of(tensor: torch.Tensor) -> Site | None:
            made = by_memory.get(_address(tensor)) if _address(tensor) else None
            return made.site if made else None

        return site_of

    def describe(self, error: BaseException, names: NamedTensors, run: Runner = call) -> Raised:
        """What was raised, with the operands of the operation that raised it.

        Code may catch what an operation raised, and raise something else. Behind that is the last
        operation that failed in this call, if the exception has it as its cause or context, or if
        it was refused for mixing devices; else the first exception that it was raised because of.
        """
        raised = describe_exception(error, self.files, run)
        failure = self._refused_gradient(error, raised.message) or self.now.failure
        if failure is None or not (failure.led_to(error) or failure.mixes_devices):
            *_, first = causes_of(error)  # TorchScript's operators, say, are not seen
            behind = None if first is error else describe_exception(first, self.files, run)
            return replace(raised, behind=behind)
        operands = tuple(self._operand(operand, names) for operand in failure.operands)
        behind = describe_exception(failure.error, self.files, run)
        behind = replace(behind, operation=failure.operation, operands=operands)
        return behind if failure.error is error else replace(raised, behind=behind)

    def raised_at(
        self,
        error: BaseException,
        operation: str,
        position: Position,
        operands: Iterable[tuple[torch.Tensor, torch.device]],
        names: NamedTensors,
        site: Site | None,
    ) -> Raised:
        """What an operation raised on a line, with its operands and where each was."""
        described = tuple(
            replace(self._operand(tensor, names), device=str(place)) for tensor, place in operands
        )
        raised, (file, line) = describe_exception(error, set()), position
        raised = replace(raised, operation=operation, operands=described)
        return replace(raised, file=file, line=line, code=_code_at(position), site=site)

    def _refused_gradient(self, error: BaseException, message: str) -> Failure | None:
        """The failure of a backward whose gradient is on another device than it should be.

        No operation raises, but the autograd engine, which names both devices. The gradient is the
        last tensor that was made on its device.
        """
        devices = match.groups() if (match := INVALID_GRADIENT.search(message)) else ()
        last = {str(made.tensor.device): made.tensor for made in self._made.values()}
        operands = tuple(last[device] for device in devices if device in last)
        return Failure(error, "backward", operands) if len(operands) == 2 else None

    def describe_output(self, output: Output, tensor: torch.Tensor, names: NamedTensors) -> Output:
        """`output` with the attribute, or the operation and line, that its data came from."""
        origin = self.origin(tensor, names)
        made = self._made.get(id(origin))
        output = replace(output, held_at=names.attributes.get(id(origin), ""))
        if made is None:
            return output
        file, line = made.location
        code = _code_at(made.location)
        output = replace(output, made_by=made.operation, file=file, line=line, code=code)
        return replace(output, site=made.site, earlier=made.call < self.call)

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
            if key not in self._made:
                own = [p for p in parents if p is not tensor] if key in keys else parents
                frame = learners_frame(self.files, above=4)  # the caller of the operation
                begins = not parents or parents[0].device != tensor.device
                scope = scope_of(frame) if begins else ()
                chosen = kwargs.get("device")
                if chosen is None and operation in MOVES:
                    chosen = args[1] if len(args) > 1 else operation.rpartition(".")[2]
                told = "" if chosen is None else str(chosen)
                self._made[key] = TensorOrigin(
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
            made = self._made.get(id(tensor))
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
        for key in reversed(list(self._made)):
            tensor = self._made[key].tensor
            if sys.getrefcount(tensor) <= REFERENCES_OF_OURS + (key in self.rebound):
                del self._made[key]
                self.now.moved_at.pop(key, None)  # another tensor may get its id
        for key, (tensor, _) in list(self.rebound.items()):
            if sys.getrefcount(tensor) <= REFERENCES_OF_OURS:
                del self.rebound[key]

    def _operand(self, tensor: torch.Tensor, names: NamedTensors) -> Operand:
        origin = self.origin(tensor, names)
        made = self._made.get(id(origin))
        location = made.location if made else NOWHERE
        moved = self._move(tensor, origin)
        if (rebound := self.rebound.get(id(origin))) and self.call:
            moved = rebound[1], origin.device
        moved_at = moved[0].position if moved and moved[0] else NOWHERE
        described = Operand(
            device=str(tensor.device),
            shape=tuple(tensor.shape),
            file=location[0],
            line=location[1],
            code=_code_at(location),
            earlier=made is not None and made.call < self.call,
            constructed=made is not None and made.call == 0,
            moved_file=moved_at[0],
            moved_line=moved_at[1],
            moved_code=_code_at(moved_at),
            moved_in_place=moved is not None and moved[1] == origin.device,
            is_parameter=isinstance(origin, nn.Parameter),
            in_loss=id(origin) in names.in_loss,
            site=made.site if made else None,
            moved_at=site_of(moved[0]) if moved else None,
        )
        kinds = {"input": names.inputs, "attribute": names.attributes, "global": names.globals}
        for kind, known in kinds.items():
            if id(origin) in known:
                return replace(described, source=kind, name=known[id(origin)])
        if made is not None:
            return replace(described, source="made", name=made.operation)
        maker = unseen_maker(self.files, self.classes) if self.call else None
        if described.device != "cpu" or not maker:
            return described
        (site, name), line = maker, maker[0].span[0]
        described = replace(described, source="made", name=name)
        return replace(described, file=site.file, line=line, site=site)

    def position_of_move(self, tensor: torch.Tensor, origin: torch.Tensor) -> Position | None:
        """The line of this call that moved a tensor or its origin; None if none did."""
        moved = self._move(tensor, origin)
        return (moved[0].position if moved[0] else NOWHERE) if moved else None

    def _move(
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
            made = self._made.get(id(tensor))
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


def _code_at(location: Position) -> str:
    return linecache.getline(*location).strip() if location[1] else ""
