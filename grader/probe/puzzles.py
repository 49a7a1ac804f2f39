"""Explains errors that the probe's own steps raise because of a mistake in the module."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from grader.probe.inspection.source import Runner

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


def explain(error: BaseException, make: Callable[[], Any], run: Runner) -> str:
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
