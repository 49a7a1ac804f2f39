"""Calls of classes that other code makes: an example, or another class when it is called.

Many classes are built by others only, with arguments that no signature tells. The other is built
and called, and the first call of the class is caught.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

from torch import nn
from torch.nn.modules.module import register_module_forward_hook

from grader.auditing.survey.catching import Catcher, Caught
from grader.auditing.survey.package.discovery import Found
from grader.auditing.survey.package.examples import Example, docstring_of
from grader.auditing.survey.package.written_calls import inputs_from, maker
from grader.auditing.survey.survey import AuditPlan
from grader.loading import LoadingError
from grader.probe import call_forward, torch_as_it_was


@dataclass(frozen=True)
class CallOf:
    """The call of another class, as it is planned."""

    found: Found
    plan: AuditPlan

    @property
    def title(self) -> str:
        return f"a call of {self.found.dotted}"

    def run(self) -> None:
        """Call it while it trains and while it does not: either may fail."""
        for trains in (True, False):
            with suppress(Exception):
                target, inputs = planned_target(self.found.load(), self.plan)
                module = target if isinstance(target, nn.Module) else target()
                module.train(trains)
                call_forward(module, inputs)


Witness = CallOf | Example


class _CaughtItError(KeyboardInterrupt):
    """Ends the witness; `KeyboardInterrupt` is what pytest lets through."""


def planned_target(cls: type[nn.Module], plan: AuditPlan) -> tuple[Any, Any]:
    """The target of an audit, a module or a function that makes one, and its inputs or None."""
    if plan.inputs_from == "docstring" and (example := docstring_of(cls)):
        return witnessed_target(cls, example)
    target = maker(cls, plan.arguments)
    if plan.inputs is None:
        return target, None
    with torch_as_it_was():
        return target, inputs_from(plan.inputs, target())


def witnessed_target(cls: type[nn.Module], witness: Witness) -> tuple[Any, Any]:
    """The module and the inputs of the first call that a witness makes.

    Raises:
        LoadingError: it makes none.
    """
    caught = first_call(cls, witness)
    if caught is None:
        raise LoadingError(f"The call in {witness.title} was made once, but not again.")
    return caught.module, caught.inputs


def first_call(cls: type[nn.Module], witness: Witness) -> Caught | None:
    """The first call of an instance of `cls`, on the CPU; None if none is made."""
    caught: list[Caught] = []

    def give(call: Caught) -> None:
        caught.append(call)
        raise _CaughtItError

    catcher = Catcher(
        wants=lambda module: type(module) is cls and not caught,
        give=give,
        refuse=lambda module, reason: None,
    )
    with suppress(_CaughtItError), catcher.on():
        witness.run()
    return caught[0] if caught else None


@contextmanager
def classes_called() -> Iterator[set[str]]:
    """The dotted names of the classes of which a call succeeds in the block."""
    called: set[str] = set()

    def note(module: nn.Module, *_: Any) -> None:
        called.add(f"{type(module).__module__}.{type(module).__qualname__}")

    handle = register_module_forward_hook(note)
    try:
        yield called
    finally:
        handle.remove()
