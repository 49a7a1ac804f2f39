"""The values of what stands between parentheses, as a recipe or a plan has it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import torch
from torch import nn

from grader.probe import Inputs, written_inputs


def arguments_from(source: str, cls: type) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Positional and keyword arguments; names are those of the file that defines `cls`."""
    written = written_inputs(source, vars(sys.modules.get(cls.__module__, torch)))
    return written.args, dict(written.kwargs)


def inputs_from(source: str, module: nn.Module) -> Inputs:
    """The inputs of a call; names are those of the class's file, and `module` is the module."""
    names = vars(sys.modules.get(type(module).__module__, torch))
    return written_inputs(source, {**names, "module": module})


def maker(cls: type[nn.Module], arguments: str) -> Callable[..., nn.Module]:
    """A function that builds `cls` with equal arguments each time, and takes further ones.

    What is drawn for an argument is drawn alike: whoever builds a module again, to load a
    checkpoint say, hands in the same.
    """

    def make(**placed: Any) -> nn.Module:
        before = torch.get_rng_state()
        torch.default_generator.manual_seed(0)
        try:
            args, kwargs = arguments_from(arguments, cls)
        finally:
            torch.set_rng_state(before)
        return cls(*args, **(kwargs | placed))

    make.__wrapped__ = cls  # type: ignore[attr-defined]  # whose signature and files it has
    return make
