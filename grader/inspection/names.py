"""The names that tensors have: attributes of the module, inputs, and globals of its files."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator
from functools import partial
from operator import call
from types import FunctionType
from typing import Any

import torch
from torch import nn

from grader.inspection.inputs import Inputs
from grader.inspection.plain import entries_of, size_of
from grader.inspection.source import POSITIONAL, Run, is_torch
from grader.inspection.tracing import Known
from grader.inspection.walk import Walk, is_a, is_loss, registered_modules

MOST = 2_000
DEEPEST = 4


def known(module: nn.Module, inputs: Inputs, run: Run = call) -> Known:
    """The names of all tensors that have one.

    Args:
        module: the learner's.
        inputs: what it is called with.
        run: runs the learner's code.
    """
    reached = Walk(module).reached
    globals_, in_loss = _globals(module, run)
    return Known(
        attributes={id(each.tensor): each.path for each in reversed(reached)},
        globals=globals_,
        inputs=inputs.named(run(partial(_parameters, module))),
        in_loss=frozenset({id(each.tensor) for each in reached if each.in_loss} | in_loss),
    )


def _parameters(module: nn.Module) -> list[str]:
    """What `forward` calls its positional arguments, as far as it names them."""
    try:
        signature = inspect.signature(module.forward)
    except Exception:  # a forward that hides its signature, or lets code of its own tell it
        return []
    return [name for name, each in signature.parameters.items() if each.kind in POSITIONAL]


def _globals(module: nn.Module, run: Run) -> tuple[dict[int, str], set[int]]:
    """The tensors that the learner's modules hold as globals, and those of them in a loss."""
    found: dict[int, str] = {}
    in_loss: set[int] = set()
    modules = [each for each, _, _ in registered_modules(module, "self", "")]
    spaces = {type(each).__module__ for each in modules}
    for space in sorted(name for name in spaces if name.split(".")[0] != "torch"):
        for name, value in list(vars(sys.modules.get(space, object)).items())[:MOST]:
            if name.startswith("__"):
                continue
            for path, leaf in _tensors_in(value, name, run):
                found.setdefault(id(leaf), path)
                if is_a(value, nn.Module) and is_loss(value):
                    in_loss.add(id(leaf))
    for each in {type(each) for each in modules if not is_torch(type(each))}:
        found |= {id(default): name for name, default in _default_arguments(each)}
    return found, in_loss


def _default_arguments(cls: type) -> Iterator[tuple[str, torch.Tensor]]:
    """Tensors that are the default of a method's argument, made when its file was imported."""
    for function in vars(cls).values():
        if isinstance(function, FunctionType) and function.__defaults__:
            names = function.__code__.co_varnames[: function.__code__.co_argcount]
            given = zip(reversed(names), reversed(function.__defaults__), strict=False)
            yield from ((name, value) for name, value in given if is_a(value, torch.Tensor))


def _tensors_in(
    value: Any, name: str, run: Run, depth: int = 0
) -> Iterator[tuple[str, torch.Tensor]]:
    """The tensors of one global: of a module, or a container that is neither large nor deep."""
    if is_a(value, torch.Tensor):
        yield name, value
    elif is_a(value, nn.Module):
        named = run(lambda: [*value.named_parameters(), *value.named_buffers()])
        yield from ((f"{name}.{key}", tensor) for key, tensor in named)
    elif is_a(value, list, tuple, dict) and (size_of(value) or 0) <= MOST and depth < DEEPEST:
        for step, each in list(entries_of(value) or ()):
            yield from _tensors_in(each, f"{name}{step}", run, depth + 1)
