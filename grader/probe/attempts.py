"""Runs the learner's code for a probe, and describes what it raises."""

from __future__ import annotations

import signal
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import torch
from torch import nn
from torch.overrides import TorchFunctionMode

from grader.probe.inspection.described import describe
from grader.probe.inspection.inputs import Inputs
from grader.probe.inspection.names import NamedTensors, named_tensors
from grader.probe.inspection.tracing import Trace
from grader.probe.left_on import noting
from grader.probe.printed import OutputLimitError
from grader.probe.running import Runner, within
from grader.probe.subject import Subject
from grader.schema import LeftOn, Raised


@dataclass(eq=False)
class Attempts:
    """Runs the code of one subject.

    Attributes:
        subject: what is probed, as far as a step has learned how it is made.
        guard: runs the learner's code apart from the probe, if there is need to.
        files: the learner's files. classes: those of the instances, by file and name.
        left_on: what the learner's code left to the whole program; see `Evidence.left_on`.
    """

    subject: Subject
    guard: Runner | None = None
    files: set[str] = field(init=False)
    classes: set[tuple[str, str]] = field(init=False)
    trace: Trace = field(init=False)
    left_on: dict[LeftOn, str] = field(default_factory=dict)
    # Results stay alive: their finalisers are the learner's code, and would run in our thread.
    _kept: list[Any] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.files = {file for file, _ in self.subject.written}
        self.classes = {cls for cls in self.subject.written if cls[1]}
        self.trace = Trace(self.files, self.classes)

    def attempt(self, action: Callable[[], Any], module: nn.Module) -> tuple[Any, Raised | None]:
        """Run `action` as the learner's code; return its result, or what it raised."""
        return self.attempt_steps(lambda: self.run(action), module)

    def attempt_steps(
        self, steps: Callable[[], Any], module: nn.Module, inputs: Inputs | None = None
    ) -> tuple[Any, Raised | None]:
        """Run `steps`, the probe's code that calls `run` for the learner's; as `attempt` else."""
        names = partial(named_tensors, module, inputs or Inputs(), self.run)
        return self._attempt(steps, names)

    def run(self, action: Callable[[], Any], mode: TorchFunctionMode | None = None) -> Any:
        """Run `action`, which calls the learner's code, and return or raise what it does.

        With a guard, it runs in the learner's thread, where the code can read what `action` refers
        to: so that should be nothing of the probe's.
        """
        action = partial(within, mode, partial(noting, action, self.left_on))
        return self.guard(action) if self.guard else action()

    def _attempt(
        self, action: Callable[[], Any], names: Callable[[], NamedTensors]
    ) -> tuple[Any, Raised | None]:
        """The result, or what was raised. A person's Ctrl-C still gets through."""
        try:
            result = action()
            if self.guard:
                self._kept.append(result)
            return result, None
        except OutputLimitError:
            raise
        except BaseException as error:
            if is_user_interrupt(error):
                raise
            raised = describe(self.trace, error, names(), self.run)
            error.__traceback__ = None  # its frames refer to the probe's objects
            return None, raised
        finally:
            if not self.guard:
                torch.set_default_device(None)  # the learner's must not apply to the probe


def is_user_interrupt(error: BaseException) -> bool:
    """Whether a person pressed Ctrl-C.

    In a child SIGINT is ignored, so a KeyboardInterrupt there is raised by the learner's code.
    """
    is_interrupt = isinstance(error, KeyboardInterrupt)
    return is_interrupt and signal.getsignal(signal.SIGINT) is not signal.SIG_IGN
