"""What a constructor gave, and errors of the steps that follow which a mistake in it explains."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from hashlib import blake2b
from types import FunctionType
from typing import Any

import torch
from msgspec.structs import replace
from torch import nn

from grader.probe.inspection.copies import NotBuiltError
from grader.probe.inspection.registered import Registered, has_begun, is_a, tensors_once
from grader.probe.inspection.source import Runner
from grader.schema import SUPER_INIT, Raised


def not_built(raised: Raised) -> Raised:
    """What was raised; in words alone, if there was nothing to construct a module from."""
    return Raised.problem(raised.message) if raised.type == NotBuiltError.__name__ else raised


def problem_of(made: Any) -> Raised | None:
    """The problem where the constructor's result is no module, or one that has not begun."""
    if not is_a(made, nn.Module):
        return _not_a_module(type(made).__name__)
    return None if has_begun(made) else _without_super_init(type(made))


def _not_a_module(kind: str) -> Raised:
    """The problem where the constructor's result is not an nn.Module."""
    return Raised.problem(
        f"Constructing it gave a {kind}, which is not an nn.Module: is it declared as "
        f"`class {kind}(nn.Module):`?",
    )


def _without_super_init(cls: type) -> Raised:
    """The problem where `__init__` does not call `super().__init__()`.

    PyTorch's own error comes later, and names an attribute that no learner has written.
    """
    method = vars(cls).get("__init__")
    is_written = isinstance(method, FunctionType) and method.__code__.co_filename[:1] != "<"
    code = method.__code__ if method and is_written else None
    message = f"`{cls.__name__}.__init__` never calls `super().__init__()`."
    problem = Raised.problem(message, code.co_firstlineno if code else 0, SUPER_INIT)
    return replace(problem, file=code.co_filename if code else "")


def kind_of(modules: list[Registered]) -> str:
    """A hash of the names, roles, dtypes and shapes of what a module and its children register."""
    facts = sorted(
        (entry.name, entry.role, entry.persistent, str(entry.tensor.dtype), _shape_of(entry.tensor))
        for entry in tensors_once(modules)
    )
    return blake2b(repr(facts).encode("utf-8", "replace"), digest_size=8).hexdigest()


def _shape_of(tensor: torch.Tensor) -> str:
    try:
        return str(tuple(tensor.shape))
    except RuntimeError:  # lazy, nested
        return ""


def classes_in(modules: list[Registered]) -> list[Any]:
    """The classes of the registered modules, each once; by id, as a metaclass may have a hash."""
    return list({id(type(child)): type(child) for child, _, _ in modules}.values())


def not_hashable(run: Callable[[Any], Any], module: nn.Module) -> Raised | None:
    """The problem where a module is not hashable, as after `@dataclass`.

    `nn.Module.named_modules` collects modules in a set.
    """
    try:
        run(lambda: list(module.modules()))
    except TypeError as error:
        return Raised.problem(
            f"PyTorch cannot list its modules ({error}). Does it have an `__eq__` of its own, as "
            "`@dataclass` gives it? Write `@dataclass(eq=False)`, or leave it out.",
        )
    return None


INFERENCE = (
    "Your module holds tensors that were made in `torch.inference_mode()`. PyTorch can neither "
    "train them nor change their values. Construct the module outside of it."
)
TOO_DEEP = (
    "Your module holds itself, or modules inside modules without end, so PyTorch's own `.to()` and "
    "`state_dict()` never come to an end. Is there a `self.something = self`, or a child that "
    "holds its parent?"
)
NO_STATE = (
    "Your `state_dict` returned a {}, where PyTorch and everyone who saves a module expect a dict. "
    "Return what `super().state_dict(...)` gives."
)


def explain_known_error(error: BaseException, make: Callable[[], Any], run: Runner) -> str:
    """What in the learner's module made one of our steps raise, in a sentence; `""` if unknown.

    Args:
        error: what was raised, by no line of the learner's.
        make: constructs the module.
        run: runs the learner's code.
    """
    if isinstance(error, RecursionError):
        return TOO_DEEP
    try:
        if "nference tensor" in run(lambda: str(error)):
            return INFERENCE
        state = run(lambda: make().state_dict())
    except Exception:
        return ""
    return "" if isinstance(state, Mapping) else NO_STATE.format(type(state).__name__)
