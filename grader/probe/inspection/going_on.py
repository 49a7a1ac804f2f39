"""Makes a call go on where devices met, so that one run shows what the first fault hides.

PyTorch stops at the first operation that mixes devices. Here such an operation is recorded, what
was misplaced is brought to the device of the call, and the operation is made again.

A tensor is brought along from its origin on, as if its fault were repaired: an attribute wherever
it is read, one that the call makes where it is made. What was computed before the first meeting
was computed of the tensor as it is, on the CPU say. So the call is repeated until a round shows
nothing new: then all faults are known that would come up one after the other.

A line may make a tensor on the device that a variable holds. The fault is where that device comes
from, such as another tensor that is misplaced. So nothing is repaired there: what a further round
does not meet again followed from something else, and of what it meets, the first tells of all.

Where the learner's code may catch the exception, it is raised as PyTorch raises it. If it leaves
the module all the same, the next round goes on there.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import numpy
import torch

from grader.probe.inspection.described import raised_at
from grader.probe.inspection.exceptions import causes_of
from grader.probe.inspection.frames import (
    Positions,
    are_in_a_try,
    at,
    learners_frame,
    running_lines,
)
from grader.probe.inspection.inputs import with_each_tensor
from grader.probe.inspection.names import NamedTensors
from grader.probe.inspection.operands import (
    Arguments,
    Meeting,
    mix,
    on_the_cpu,
    reads_cpu_memory,
    together,
    version_of,
)
from grader.probe.inspection.operations import MOVES, Calls, Operation, name_of, tensors_in
from grader.probe.inspection.sites import scope_of, site_of
from grader.probe.inspection.source import Position
from grader.probe.inspection.tracing import Trace
from grader.schema import Raised

ARRAYS = (numpy.ndarray, numpy.generic)
Making = tuple[str, Positions]  # an operation, and the lines that led to it


class GoingOn(Calls):
    """Goes on where devices met, while the mode is on."""

    def __init__(
        self, trace: Trace, device: str, names: NamedTensors, named: list[torch.Tensor]
    ) -> None:
        """Go on in the call that `trace` saw last.

        Args:
            trace: knows what made the tensors.
            device: that of the call.
            names: of the tensors that the call begins with.
            named: those tensors. They are kept alive, so that their ids are not used again.
        """
        super().__init__()
        self.meetings: dict[tuple[object, ...], Meeting] = {}
        self._trace = trace
        self._device = torch.device(device)
        self._names, self._named = names, named
        moves = trace.now.moved_at.items()
        self._moved_before = {key: moved for key, moved in moves if names.has_id(key)}
        self._twins: dict[int, tuple[torch.Tensor, torch.Tensor]] = {}  # with what they stand for
        self._misplaced_at: set[Making] = set()
        self._asks_variable: set[Making] = set()  # for the device of what they make
        self._met: set[object] = set()  # in this round
        self._dropped_at: set[Position] = set()  # lines that move a tensor, and drop the result
        self._raised: list[tuple[Exception, Positions]] = []  # where code may catch it
        self._escaped: set[Positions] = set()  # where it does not, for good
        self._made_at: dict[int, Making] = {}  # of this round's tensors
        self._from_numpy: set[int] | None = None  # once a tensor was handed to NumPy

    def result_of(self, func: Operation, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Call `func` with what was brought along; if it is refused for its devices, once more."""
        given = args, kwargs
        brought, lines = self._brought(given), running_lines(self._trace.files)
        try:
            result = func(*brought[0], **brought[1])
        except Exception as error:
            if lines not in self._escaped and are_in_a_try(lines):
                self._raised.append((error, lines))
                raise
            result = self._result_all_the_same(func, given, error, lines)
        if isinstance(result, torch.Tensor):
            result = self._at_its_place(func, given, result, lines)
        self._trace.remember(func, *given, result)
        return result

    @property
    def progress(self) -> int:
        """How much is known. What a round leaves as it is, so does every further one."""
        return len(self.meetings) + len(self._escaped)

    def begin_round(self) -> None:
        """Begin the call from its start; what was brought along before, is from now on."""
        self._trace.forget_dead()
        self._made_at, self._from_numpy = {}, None
        self._met.clear()
        self._trace.now.moved_at = dict(self._moved_before)

    def leave(self, error: BaseException) -> None:
        """Note that `error` ended the call."""
        behind = list(causes_of(error))
        self._escaped.update(at for raised, at in self._raised if raised in behind)
        self._raised.clear()

    def described(self, names: NamedTensors) -> Iterator[Raised]:
        """Each meeting as an exception, once for each tensor that was misplaced in it.

        Args:
            names: of the tensors that the call left. Those that it began with keep their names.
        """
        names, followed = names.overridden_by(self._names), self._followed()
        for (_, _, *origins), meeting in self.meetings.items():
            error, operation, position, misplaced, others, moved_at, site = meeting
            self._trace.now.moved_at = moved_at
            pairs = zip(misplaced, origins, strict=True)
            told = [[*others, pair] for pair, origin in pairs if origin not in followed]
            for met in told if misplaced else [others]:
                yield raised_at(self._trace, error, operation, position, met, names, site)

    def _followed(self) -> set[object]:
        """The origins whose device a variable held, and that follow from another meeting."""
        origins = [origin for _, _, *origins in self.meetings for origin in origins]
        asking = list(dict.fromkeys(filter(self._asks_variable.__contains__, origins)))
        again = [origin for origin in asking if origin in self._met]
        return {*asking} - {*again[:1]}

    def _result_all_the_same(
        self, func: Operation, given: Arguments, error: Exception, lines: Positions
    ) -> Any:
        """What `func` gives if its operands are where it wants them.

        Raises:
            Exception: it is refused for another reason, whatever its operands' devices are.
        """
        brought, known = self._brought(given), dict(self.meetings)
        if mix(brought, self._device):
            self._record(func, given, error, lines)
            args, kwargs = together(self._brought(given), self._device)
        elif reads_cpu_memory(error):
            with suppress(Exception):  # what was brought along may be meant for the CPU here
                return func(*given[0], **given[1])
            self._record(func, given, error, lines)
            self._from_numpy = self._from_numpy or set()
            args, kwargs = on_the_cpu(brought)
        else:
            raise error
        twins = [self._twins[id(t)] for t in tensors_in(given) if id(t) in self._twins]
        versions = [version_of(twin) for _, twin in twins]
        try:
            result = func(*args, **kwargs)
        except Exception:
            self.meetings = known
            raise
        for (tensor, twin), version in zip(twins, versions, strict=True):
            if version_of(twin) != version:  # so is what `tensor` may be a view of
                tensor.data.copy_(twin.data)
        return result

    def _record(
        self, func: Operation, given: Arguments, error: Exception, lines: Positions
    ) -> None:
        """Record a meeting, each once, and bring its misplaced tensors along from now on."""
        operation, position = name_of(func), (*lines, ("", 0))[0]
        places = (tensor.device for tensor in tensors_in(self._brought(given)))
        operands = list(zip(tensors_in(given), places, strict=True))
        misplaced = [pair for pair in operands if self._is_misplaced(*pair)]
        others = [pair for pair in operands if not self._is_misplaced(*pair)]
        origins = [self._bring_along(tensor) for tensor, _ in misplaced]
        if not misplaced or any(origin is not None for origin in origins):
            key, moved_at = (operation, position, *origins), dict(self._trace.now.moved_at)
            frame = learners_frame(self._trace.files)
            site = site_of(at(frame), scope_of(frame))
            meeting = Meeting(error, operation, position, misplaced, others, moved_at, site)
            self.meetings.setdefault(key, meeting)
            self._met.update(origins)

    def _bring_along(self, tensor: torch.Tensor) -> object:
        """Bring a tensor along from where its fault is on; what tells that place from others.

        None, if it comes back from NumPy: that follows from the way there, which was recorded.
        """
        self._twins[id(tensor)] = tensor, tensor.to(self._device)
        origin = self._trace.origin(tensor, self._names)
        if self._from_numpy and id(origin) in self._from_numpy:
            return None
        made, is_named = self._made_at.get(id(origin)), self._names.has(origin)
        if is_named or made is None:  # an attribute, a global, an input; or of unknown origin
            self._twins[id(origin)] = origin, origin.to(self._device)
            if is_named:
                return id(origin)
            return "" if self._from_numpy is None else None  # no operation shows `from_numpy`
        if moved_at := self._trace.position_of_move(tensor, origin):
            self._dropped_at.add(moved_at)
            return moved_at
        if made[1] and made not in self._asks_variable:
            self._misplaced_at.add(made)
        return made

    def _brought(self, given: Arguments) -> Arguments:
        return with_each_tensor(self._twin, given) if self._twins else given

    def _twin(self, tensor: torch.Tensor) -> torch.Tensor:
        return self._twins.get(id(tensor), (tensor, tensor))[1]

    def _at_its_place(
        self, func: Operation, given: Arguments, result: torch.Tensor, lines: Positions
    ) -> torch.Tensor:
        """`result`, on the call's device if it was misplaced where these lines made it before."""
        operation, arguments = name_of(func), (*given[0], *given[1].values())
        if operation in MOVES and lines and lines[0] in self._dropped_at:
            self._twins[id(arguments[0])] = arguments[0], result
        if (operation, lines) in self._misplaced_at:
            moved = result.to(self._device)
            if any(argument is result for argument in arguments):  # in place, as weights are drawn
                self._twins[id(result)] = result, moved
            else:
                result = moved
        if id(result) not in self._made_at:
            self._made_at[id(result)] = operation, lines
            is_told = given[1].get("device") is not None or operation in MOVES
            if is_told and lines and self._is_variable():
                self._asks_variable.add((operation, lines))
        if self._from_numpy is not None and any(isinstance(a, ARRAYS) for a in arguments):
            self._from_numpy.add(id(result))
        return result

    def _is_variable(self) -> bool:
        """Whether the call that runs takes its device from a variable, or from another tensor."""
        named: str = getattr(site_of(at(learners_frame(self._trace.files))), "named", "")
        remembered = named.removeprefix("self.").partition(".")[0] if "self." in named else ""
        return not any(("device" in remembered, "cuda" in named, "cpu" in named))

    def _is_misplaced(self, tensor: torch.Tensor, place: torch.device) -> bool:
        """Whether it is elsewhere; a number on the CPU may be, as PyTorch lets it mix."""
        return place != self._device and (tensor.dim() > 0 or place.type != "cpu")
