"""Python source that stands between parentheses, as a recipe or a plan has it, and its values."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import torch
from torch import nn

from grader.probe import Inputs


def arguments_from(source: str, cls: type) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Positional and keyword arguments; names are those of the file that defines `cls`."""
    names = vars(sys.modules.get(cls.__module__, torch))
    return _evaluated(source, dict(names))


def inputs_from(source: str, module: nn.Module) -> Inputs:
    """The inputs of a call; names are those of the class's file, and `module` is the module."""
    names = vars(sys.modules.get(type(module).__module__, torch))
    args, kwargs = _evaluated(source, {**names, "module": module})
    return Inputs(args, kwargs)


def _evaluated(source: str, names: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    def collect(*args: Any, **kwargs: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
        return args, kwargs

    collected: tuple[tuple[Any, ...], dict[str, Any]] = eval(
        f"collect({source})", {**names, "torch": torch, "nn": nn, "collect": collect}
    )
    return collected


def maker(cls: type[nn.Module], arguments: str) -> Callable[..., nn.Module]:
    """A function that builds `cls` with new arguments each time, and takes further ones."""

    def make(**placed: Any) -> nn.Module:
        args, kwargs = arguments_from(arguments, cls)
        return cls(*args, **(kwargs | placed))

    make.__wrapped__ = cls  # type: ignore[attr-defined]  # whose signature and files it has
    return make
