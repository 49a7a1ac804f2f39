"""Names tensors by what leads to them: attributes of the module, inputs, globals of its files."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from operator import call
from types import FunctionType
from typing import Any

import torch
from torch import nn

from grader.probe.inspection.inputs import Inputs
from grader.probe.inspection.plain import entries_of, size_of
from grader.probe.inspection.registered import is_a, registered_modules
from grader.probe.inspection.source import POSITIONAL, Runner, is_torch
from grader.probe.inspection.walk import Walk, is_loss

MOST = 2_000
DEEPEST = 4


@dataclass(frozen=True)
class NamedTensors:
    """Names of tensors by `id(tensor)`: paths of attributes, of globals, and of inputs."""

    attributes: Mapping[int, str] = field(default_factory=dict)
    globals: Mapping[int, str] = field(default_factory=dict)
    inputs: Mapping[int, str] = field(default_factory=dict)
    in_loss: frozenset[int] = frozenset()

    def overridden_by(self, other: NamedTensors) -> NamedTensors:
        """All names; `other`'s, of what both name."""
        return NamedTensors(
            {**self.attributes, **other.attributes},
            {**self.globals, **other.globals},
            {**self.inputs, **other.inputs},
            self.in_loss | other.in_loss,
        )

    def has(self, tensor: torch.Tensor) -> bool:
        """Whether the tensor has a name of any kind."""
        return self.has_id(id(tensor))

    def has_id(self, key: int) -> bool:
        return any(key in names for names in (self.attributes, self.globals, self.inputs))


def named_tensors(module: nn.Module, inputs: Inputs, run: Runner = call) -> NamedTensors:
    """Names of all tensors that an attribute, a global or an input leads to.

    Args:
        module: the learner's.
        inputs: what it is called with.
        run: runs the learner's code.
    """
    reached = Walk(module).reached
    globals_, in_loss = _globals(module, run)
    return NamedTensors(
        attributes={id(found.tensor): found.path for found in reversed(reached)},
        globals=globals_,
        inputs=inputs.named(run(partial(_parameters, module))),
        in_loss=frozenset({id(found.tensor) for found in reached if found.in_loss} | in_loss),
    )


def _parameters(module: nn.Module) -> list[str]:
    """The names of `forward`'s positional parameters; none if its signature cannot be read."""
    try:
        signature = inspect.signature(module.forward)
    except Exception:  # no signature, or a `__signature__` that runs code and raises
        return []
    return [
        name for name, parameter in signature.parameters.items() if parameter.kind in POSITIONAL
    ]


def _globals(module: nn.Module, run: Runner) -> tuple[dict[int, str], set[int]]:
    """By id, the path of each tensor in a global or default argument; ids of those in a loss."""
    found: dict[int, str] = {}
    in_loss: set[int] = set()
    modules = [owner for owner, _, _ in registered_modules(module)]
    spaces = {type(owner).__module__ for owner in modules}
    for space in sorted(name for name in spaces if name.split(".")[0] != "torch"):
        for name, value in list(vars(sys.modules.get(space, object)).items())[:MOST]:
            if name.startswith("__"):
                continue
            for path, leaf in _tensors_in(value, name, run):
                found.setdefault(id(leaf), path)
                if is_a(value, nn.Module) and is_loss(value):
                    in_loss.add(id(leaf))
    for cls in {type(owner) for owner in modules if not is_torch(type(owner))}:
        found |= {id(default): name for name, default in _default_arguments(cls)}
    return found, in_loss


def _default_arguments(cls: type) -> Iterator[tuple[str, torch.Tensor]]:
    """Tensors that are the default of a method's argument, made when its file was imported."""
    for function in vars(cls).values():
        if isinstance(function, FunctionType) and function.__defaults__:
            names = function.__code__.co_varnames[: function.__code__.co_argcount]
            defaults = zip(reversed(names), reversed(function.__defaults__), strict=False)
            yield from ((name, value) for name, value in defaults if is_a(value, torch.Tensor))


def _tensors_in(
    value: Any, name: str, run: Runner, depth: int = 0
) -> Iterator[tuple[str, torch.Tensor]]:
    """The tensors of one global: of a module, or a container that is neither large nor deep."""
    if is_a(value, torch.Tensor):
        yield name, value
    elif is_a(value, nn.Module):
        named = run(lambda: [*value.named_parameters(), *value.named_buffers()])
        yield from ((f"{name}.{key}", tensor) for key, tensor in named)
    elif is_a(value, list, tuple, dict) and (size_of(value) or 0) <= MOST and depth < DEEPEST:
        for step, entry in list(entries_of(value) or ()):
            yield from _tensors_in(entry, f"{name}{step}", run, depth + 1)
