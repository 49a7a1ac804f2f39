"""What a trace records: what made each tensor, and what one call of a module did."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import torch

from grader.probe.inspection.exceptions import causes_of
from grader.probe.inspection.frames import At
from grader.probe.inspection.sites import site_of
from grader.probe.inspection.source import NOWHERE, Position, with_device
from grader.schema import Scope, Site, Work


class TensorOrigin(NamedTuple):
    """The operation that made a tensor.

    Attributes:
        tensor: keeps the tensor alive, so that Python does not reuse its id.
        at: where the learner's code was, None if in none of it. told: the device that was chosen.
        scope: what could be named there, of what has no operands there.
        call: the number of the module's call, 0 before any.
        parents: the tensors that went in.
    """

    tensor: torch.Tensor
    operation: str
    at: At | None
    call: int
    parents: tuple[torch.Tensor, ...]
    scope: Scope = ()
    told: str = ""

    @property
    def location(self) -> Position:
        """The learner's line; that of the `with` that chose the device."""
        if self.at is None:
            return NOWHERE
        is_factory = self.told and not self.parents
        return with_device(self.at.position) if is_factory else self.at.position

    @property
    def site(self) -> Site | None:
        return site_of(self.at, self.scope, self.told)


@dataclass(frozen=True)
class Failure:
    """The operation that raised, and its tensors."""

    error: BaseException
    operation: str
    operands: tuple[torch.Tensor, ...]

    @property
    def mixes_devices(self) -> bool:
        return len({tensor.device for tensor in self.operands}) > 1

    def led_to(self, error: BaseException) -> bool:
        """Whether `error` is what it raised, or was raised because of it or while handling it."""
        return any(behind is self.error for behind in causes_of(error))


@dataclass(eq=False)
class Seen:
    """What a trace saw of one call.

    Attributes:
        read: the ids of all that went into an operation.
        asked_to_move, moved: the ids of the tensors that were asked to move, and of those that did.
        on_gpu, on_cpu: how many floating-point operations were computed there, from tensors.
        weights_on_cpu: how many of those on the CPU took a Parameter that came from the GPU.
        moved_at: by the id of what was moved, what moved it and where to.
        failure: the last operation that raised.
    """

    read: set[int] = field(default_factory=set)
    asked_to_move: set[int] = field(default_factory=set)
    moved: set[int] = field(default_factory=set)
    on_gpu: int = 0
    on_cpu: int = 0
    weights_on_cpu: int = 0
    moved_at: dict[int, tuple[At | None, torch.device]] = field(default_factory=dict)
    failure: Failure | None = None

    @property
    def work(self) -> Work:
        """Where the call computed."""
        moves = self.moved_at.values()
        lines = (at.position for at, place in moves if place.type == "cpu" and at)
        return Work(self.on_gpu, self.on_cpu, self.weights_on_cpu, next(lines, NOWHERE))
