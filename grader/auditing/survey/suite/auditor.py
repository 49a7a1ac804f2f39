"""Catches the modules that tests call, and audits each configuration once.

A class is audited after the test that called it first, for as long as the budget lasts. What comes
later, an audit that the budget ended, and further configurations of a class wait for the end of the
tests: then the classes come first, and the largest modules of each kind, which hold most others.
"""

from __future__ import annotations

import time
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from operator import call
from pathlib import Path
from typing import ClassVar

import torch
from torch import nn
from torch.utils._pytree import tree_flatten

from grader.auditing.one_module import audit_task
from grader.auditing.survey.catching import Catcher, Caught
from grader.auditing.survey.run_in_child import audit_limits
from grader.auditing.survey.survey import AuditPlan, Refusal, SurveyEntry, written_in
from grader.loading import printed_path
from grader.probe import (
    DeviceChoice,
    Inputs,
    Runner,
    Subject,
    Task,
    audit_subject,
    defining_files,
    dict_of,
    fresh_seed,
    is_torch,
    registered_modules,
    registered_tensors,
    source_text,
)
from grader.schema import Report

MOST_CONFIGURATIONS = 3  # audited of one class
MOST_WAITING = 64  # each holds a copy of its module
# The budget, unless one is given: a share of the time that all else takes, or this many seconds.
SHARE, LEAST_SECONDS = 0.2, 10.0
SECONDS_EACH = 60.0
CUT_SHORT = "waited when the run was cut short"
BUDGET_SPENT = "came after the time budget was spent (--audit-budget)"
NOT_COPIED = "cannot be copied with its inputs"


@dataclass(frozen=True)
class CaughtAudit(Task):
    """The audit of a module as a test called it, in a child that is a fork of the test process.

    Where that fork waits for threads of the test process, a new process has its turn.
    """

    is_graded: ClassVar[bool] = False
    is_live: ClassVar[bool] = True

    caught: Caught

    def prepare(self, run: Runner = call) -> Subject:
        """The copies of the module and its inputs."""
        return audit_subject(self.caught.module, self.caught.inputs, self.seed)


@dataclass(frozen=True, eq=False)
class _Waiting:
    """A call that is not audited yet.

    Attributes:
        is_further: whether another configuration of its class came before.
        size: the number of its modules.
    """

    is_further: bool
    size: int
    caught: Caught
    entry: SurveyEntry

    @property
    def turn(self) -> tuple[bool, int, str]:
        return self.is_further, -self.size, self.entry.name


class Auditor:
    """Audits what tests call.

    Args:
        budget: seconds that all audits of this process may take together; None for a share of the
            time since the start.
        device: what to judge on.
        seconds: the longest that one audit may take.
    """

    def __init__(
        self, budget: float | None, device: DeviceChoice = "auto", seconds: float = SECONDS_EACH
    ) -> None:
        self.entries: list[SurveyEntry] = []
        self._budget, self._device, self._seconds = budget, device, seconds
        self._began, self._audits_took = time.monotonic(), 0.0
        self._known: dict[type, set[Hashable]] = {}
        self._waiting: list[_Waiting] = []
        self._uncopied: dict[type, SurveyEntry] = {}
        self._pending: list[Caught] = []
        self._catcher = Catcher(self._wants, self._pending.append, self._refuse)
        self._test = ""

    @contextmanager
    def watching(self, test: str) -> Iterator[None]:
        """Catch calls in the block, which runs one test, and audit them after it."""
        self._test = test
        with self._catcher.on():
            yield
        self._catcher.forget()
        self._consider_caught()

    def finish(self, *, is_cut_short: bool) -> None:
        """Audit what waits, for as long as the budget lasts; say which classes were not audited.

        Ctrl-C ends these audits.
        """
        reason = BUDGET_SPENT
        if is_cut_short:
            self._budget, reason = 0.0, CUT_SHORT
        try:
            self._consider_caught()
            self._waiting.sort(key=lambda waiting: waiting.turn)
            for waiting in list(self._waiting):
                if self._left > 0:
                    self._audit(waiting)
        except KeyboardInterrupt:
            reason = CUT_SHORT
        for waiting in self._waiting:
            if not waiting.is_further:
                self._leave_out(waiting.entry, reason)
        self._waiting.clear()

    @property
    def _left(self) -> float:
        suite = time.monotonic() - self._began - self._audits_took
        budget = max(LEAST_SECONDS, SHARE * suite) if self._budget is None else self._budget
        return budget - self._audits_took

    def all_entries(self) -> list[SurveyEntry]:
        """An entry for each configuration, and one for each class that could not be copied."""
        return [*self.entries, *self._uncopied.values()]

    def _wants(self, module: nn.Module) -> bool:
        """Whether to copy a call: of a project's class, with room for another configuration."""
        cls = type(module)
        return not is_torch(cls) and len(self._known.get(cls, ())) < MOST_CONFIGURATIONS

    def _refuse(self, module: nn.Module, reason: str) -> None:
        cls = type(module)
        self._uncopied.setdefault(cls, self._entry(cls, Refusal(NOT_COPIED, reason)))

    def _consider_caught(self) -> None:
        while self._pending:
            self._consider(self._pending.pop(0))

    def _consider(self, caught: Caught) -> None:
        cls = type(caught.module)
        known = self._known.setdefault(cls, set())
        key = configuration(caught.module, caught.inputs)
        if key in known or len(known) >= MOST_CONFIGURATIONS:
            return
        known.add(key)
        is_further, entry = len(known) > 1, self._entry(cls, None)
        is_next = not is_further and self._left > 0
        if is_next or len(self._waiting) < MOST_WAITING:
            size = sum(1 for _ in registered_modules(caught.module))
            self._waiting.append(waiting := _Waiting(is_further, size, caught, entry))
            if is_next:
                self._audit(waiting)
        elif not is_further:
            self._leave_out(entry, BUDGET_SPENT)

    def _audit(self, waiting: _Waiting) -> None:
        """Audit a call; it waits on if the budget ends before, or an exception comes."""
        began, seconds = time.monotonic(), min(self._seconds, self._left)
        report = self._report(waiting.caught, waiting.entry, seconds)
        self._audits_took += time.monotonic() - began
        if report.verdict != "timeout" or seconds == self._seconds:
            self.entries.append(waiting.entry.with_report(report))
            self._waiting.remove(waiting)

    def _leave_out(self, entry: SurveyEntry, reason: str) -> None:
        self.entries.append(replace(entry, refusal=Refusal(reason)))

    def _report(self, caught: Caught, entry: SurveyEntry, seconds: float) -> Report:
        cls = type(caught.module)
        path = Path(min(defining_files(cls), default=(entry.file, ""))[0])
        task = CaughtAudit(path, cls.__name__, fresh_seed(), self._device, caught)
        bounds = audit_limits(seconds)
        name, text = cls.__name__, source_text(cls)
        return audit_task(task, bounds, name, entry.file, text)

    def _entry(self, cls: type, refusal: Refusal | None) -> SurveyEntry:
        file, line = written_in(cls, lambda path: str(printed_path(path)))
        name = f"{cls.__module__}.{cls.__qualname__}"
        plan = AuditPlan(arguments_from="test", inputs_from="test")
        return SurveyEntry(name, file, line, plan, refusal=refusal, context=self._test)


def configuration(module: nn.Module, inputs: Inputs) -> Hashable:
    """What distinguishes a call from others: two calls that agree in it need one audit.

    Numbers and sizes are left out.

    1. Of the module and its children: path, class, and attributes that are a bool, text or None,
       which choose between branches.
    2. Names and dtypes of the registered tensors.
    3. The nesting of the inputs, and the dtypes of their tensors.
    """
    children = list(registered_modules(module))
    leaves, nesting = tree_flatten((inputs.args, dict(inputs.kwargs)))
    return (
        type(module),
        tuple((path, type(child), _switches(child)) for child, path, _ in children),
        tuple(
            (entry.path, entry.tensor.dtype)
            for child, path, prefix in children
            for entry in registered_tensors(child, path, prefix)
        ),
        str(nesting),
        tuple(leaf.dtype if isinstance(leaf, torch.Tensor) else type(leaf) for leaf in leaves),
    )


def _switches(module: nn.Module) -> tuple[tuple[str, object], ...]:
    return tuple(
        (name, value)
        for name, value in dict_of(module).items()
        if type(value) in (bool, str, type(None)) and name != "training"
    )
