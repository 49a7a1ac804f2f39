"""The module under probe: how to build another one, feed it, and survive what it raises."""

from __future__ import annotations

import signal
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import nn

from grader.evidence import Raised
from grader.probe.printed import OutputLimitError
from grader.probe.structure import Identities, Walk, filled_buffers
from grader.probe.tracing import Trace
from grader.probe.values import draw
from grader.recipe import Recipe


@dataclass
class Instance:
    """One constructed module, the trace of its construction, and the buffers it then filled."""

    module: nn.Module
    trace: Trace
    filled: list[tuple[nn.Module, str]]

    def attributes(self) -> Mapping[int, str]:
        """By `id(tensor)`, the path of every tensor it holds now."""
        reached = Walk(self.module).reached
        return {id(each.tensor): each.path for each in reversed(reached)}


@dataclass(frozen=True)
class Subject:
    """A class to probe. Every stage builds an instance of its own, so that none spoils the next."""

    cls: Callable[..., Any]
    recipe: Recipe
    files: set[str]
    seed: int
    identities: Identities = field(default_factory=Identities)

    def build(self) -> tuple[Instance | None, Raised | None]:
        """A new instance on the CPU, or what its constructor raised."""
        trace = Trace(self.files)
        with filled_buffers() as filled:
            module, raised = attempt(lambda: self._construct(trace), trace)
        return (None if raised else Instance(module, trace, filled)), raised

    def inputs(self) -> tuple[torch.Tensor, ...]:
        """The inputs of every run, on the CPU."""
        return draw(self.recipe.inputs, self.seed)

    def call(
        self, instance: Instance, inputs: tuple[torch.Tensor, ...]
    ) -> tuple[Any, Raised | None]:
        """What the module gives for `inputs`, or what it raised."""

        def forward() -> Any:
            torch.manual_seed(self.seed)
            with instance.trace:
                return instance.module(*inputs)

        return attempt(forward, instance.trace, instance.attributes, inputs)

    def _construct(self, trace: Trace) -> nn.Module:
        torch.manual_seed(self.seed)
        with trace:
            module = self.cls(**self.recipe.arguments)
        if not isinstance(module, nn.Module):
            raise TypeError(f"expected an nn.Module, but calling it gave a {type(module).__name__}")
        return module


def attempt(
    action: Callable[[], Any],
    trace: Trace,
    attributes: Callable[[], Mapping[int, str]] = dict,
    inputs: tuple[torch.Tensor, ...] = (),
) -> tuple[Any, Raised | None]:
    """Run a learner's code: its result, or what it raised. A person's Ctrl-C still gets through."""
    try:
        return action(), None
    except OutputLimitError:
        raise
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt) and not _interrupts_are_ignored():
            raise
        return None, trace.describe(error, attributes(), inputs)


def _interrupts_are_ignored() -> bool:
    return signal.getsignal(signal.SIGINT) is signal.SIG_IGN
