"""Finds inputs for a module: its own example, or the first of some guesses that the CPU takes."""

from __future__ import annotations

import inspect
import time
from collections.abc import Iterator, Sequence
from typing import Any

import torch
from torch import nn
from torch.utils._pytree import tree_leaves

from grader.auditing.survey.package.arguments import needed_parameters
from grader.auditing.survey.package.corrections import corrected
from grader.auditing.survey.package.written_calls import inputs_from
from grader.auditing.survey.run_in_child import at_most
from grader.auditing.survey.survey import Source
from grader.probe import call_forward

# Attributes or methods that say what a module is called with: this package's own, Lightning's,
# transformers'.
CONVENTIONS = ("example_input", "example_input_array", "dummy_inputs")
SECONDS_FOR_ALL, SECONDS_FOR_ONE = 12.0, 4
MOST_ARGUMENTS = 4
GENERAL = (
    "torch.randn(2, 8)",
    "torch.randn(2, 3, 32, 32)",
    "torch.randn(2, 16, 8)",
    "torch.randn(2, 1, 4096)",
    "torch.randint(4, (2, 16))",
    "torch.rand(2, 1, 64, 64)",
    "torch.randn(2, 8, 8, 8, 8)",
    "torch.randn(2, 4096)",
    "torch.randn(2)",
)
CLASSES = "torch.randint(4, (2,))"


class NoTensorError(Exception):
    """A call works, and returns an object in which no tensor is seen."""


def inputs_for(module: nn.Module) -> tuple[str | None, Source]:
    """What stands between the parentheses of a call that works on the CPU, and who says so.

    Where none works, what the module itself says: its call may need a GPU, or gradients.
    """
    examples = list(filter(None, (_example(module, name) for name in CONVENTIONS)))
    for example in examples:
        if _works(module, example):
            return example, "convention"
    if (guess := _guessed(module)) is not None:
        return guess, "guess"
    return (examples[0], "convention") if examples else (None, "")


def _guessed(module: nn.Module) -> str | None:
    """Arguments that `forward` takes; each failing call may say what the next one should be."""
    needed = needed_parameters(module.forward)
    if len(needed) > MOST_ARGUMENTS:
        return None
    ends, tried, silent = time.monotonic() + SECONDS_FOR_ALL, set[str](), list[str]()
    takes_tensors = not all(map(_is_plain, needed))
    for first in (*_for_first_layer(module), *GENERAL) if takes_tensors else ("",):
        tensor = first
        while tensor not in tried and time.monotonic() < ends:
            tried.add(tensor)
            errors = []
            for call in calls_with(tensor, needed):
                error = _error_of(module, call)
                if error is None:
                    return call
                if isinstance(error, NoTensorError):
                    silent.append(call)
                errors.append(error)
            tensor = corrected(tensor, errors[0])
    return silent[0] if silent else None


def calls_with(tensor: str, needed: Sequence[inspect.Parameter]) -> Iterator[str]:
    """Arguments for the needed parameters, with the tensor for each that may be one."""
    tensors = [p.name for p in needed if not _is_plain(p)]
    plain = [f"{p.name}={_plain(p)}" for p in needed if _is_plain(p)]
    given = [f"{name}={tensor}" for name in tensors]
    yield ", ".join([*given, *plain])
    if len(tensors) == 2:  # a loss: scores and classes, one for each row
        yield ", ".join([given[0], f"{tensors[1]}={CLASSES}", *plain])


def _for_first_layer(module: nn.Module) -> Iterator[str]:
    for layer in module.modules():
        channels = getattr(layer, "in_channels", None)
        match layer:
            case nn.Linear():
                yield f"torch.randn(2, {layer.in_features})"
                yield f"torch.randn(2, 5, {layer.in_features})"
            case nn.Conv1d():
                yield f"torch.randn(2, {channels}, 64)"
            case nn.Conv2d():
                yield f"torch.randn(2, {channels}, 32, 32)"
                yield f"torch.randn(2, {channels}, 64, 64)"
            case nn.Conv3d():
                yield f"torch.randn(1, {channels}, 16, 16, 16)"
            case nn.Embedding():
                yield f"torch.randint({layer.num_embeddings}, (2, 5))"
            case nn.LayerNorm():
                yield f"torch.randn(2, 5, {layer.normalized_shape[-1]})"
            case nn.BatchNorm1d() | nn.BatchNorm2d():
                yield f"torch.randn(2, {layer.num_features}, 32, 32)"
                yield f"torch.randn(2, {layer.num_features})"
            case nn.RNNBase():
                yield f"torch.randn(2, 5, {layer.input_size})"
            case _:
                continue
        return


def _is_plain(parameter: inspect.Parameter) -> bool:
    return parameter.annotation in (int, float, bool, "int", "float", "bool")


def _plain(parameter: inspect.Parameter) -> str:
    return {"int": "2", "float": "0.5", "bool": "False"}[
        getattr(parameter.annotation, "__name__", parameter.annotation)
    ]


def _example(module: nn.Module, name: str) -> str:
    """The attribute as arguments: a dict by keyword, a tuple or list in order; `""` if none."""
    try:
        value: Any = getattr(module, name, None)
        is_method = callable(value)
        value = value() if is_method else value
    except Exception:  # a property of the module's
        return ""
    if value is None:
        return ""
    stars = "**" if isinstance(value, dict) else "*" if isinstance(value, tuple | list) else ""
    return f"{stars}module.{name}{'()' if is_method else ''}"


def _works(module: nn.Module, inputs: str) -> bool:
    return _error_of(module, inputs) is None


def _error_of(module: nn.Module, inputs: str) -> Exception | None:
    """Why a call on the CPU returns no tensor in time; None if it does.

    NoTensorError says that it returns something else, such as a distribution.
    """
    try:
        with torch.no_grad(), at_most(SECONDS_FOR_ONE):
            returned = call_forward(module, inputs_from(inputs, module))
    except Exception as error:
        return error
    if any(isinstance(leaf, torch.Tensor) for leaf in tree_leaves(returned)):
        return None
    return ValueError("it returned None") if returned is None else NoTensorError()
