"""Finds inputs for a module: its own example, or the first of some guesses that the CPU takes."""

from __future__ import annotations

import inspect
import re
import time
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import islice
from typing import Any, NamedTuple

import torch
from torch import nn
from torch.utils._pytree import tree_leaves

from grader.auditing.survey.package.arguments import needed_parameters
from grader.auditing.survey.package.climbing import FailedTrial, Values, climbed, written
from grader.auditing.survey.package.written_calls import inputs_from
from grader.auditing.survey.run_in_child import at_most
from grader.auditing.survey.survey import Source
from grader.probe import call_forward

# Attributes or methods that say what a module is called with: this package's own, Lightning's,
# transformers'.
CONVENTIONS = ("example_input", "example_input_array", "dummy_inputs")
SECONDS_FOR_ALL, SECONDS_FOR_QUICK, SECONDS_TO_SEARCH, SECONDS_FOR_ONE = 8.0, 1.5, 5.0, 4
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
MOST_LAYERS = 20
CLASSES = "torch.randint(4, (2,))"
# What a search tries besides, and by the name or the annotation of a parameter.
MASKS = ("None", "torch.ones(2, 5, dtype=torch.bool)", "torch.ones(5, 5, dtype=torch.bool)")
MORE = (
    "torch.randn(2, 8, 8, 8)", "torch.randn(2, 5, 8)", "torch.rand(8)", "torch.rand(())",
    "torch.randint(2, (2,))", "torch.randn(2, 1)", "torch.randn(8, 8)", "torch.randn(2, 4, 8, 8)",
)  # fmt: skip
NUMBERS = ((r"\bint\b", ("2", "8", "1")), (r"\bfloat\b", ("0.5", "1.0")), (r"\bbool\b", ("False",)))
SEVERAL = r"List|list|Sequence|Iterable|Tuple|tuple"


class NoTensorError(Exception):
    """A call works, and returns an object in which no tensor is seen."""


class _Farthest(NamedTuple):
    """A call that failed, but no other got farther."""

    tensor: str
    error: Exception
    call: str


def inputs_for(module: nn.Module) -> tuple[str | None, Source]:
    """What stands between the parentheses of a call that works on the CPU, and who says so.

    Where none works, what the module itself says: its call may need a GPU, or gradients.
    """
    examples = list(filter(None, (_example(module, name) for name in CONVENTIONS)))
    for example in examples:
        if _works(module, example):
            return example, "convention"
    if isinstance(guess := _guessed(module, SECONDS_FOR_ALL), str):
        return guess, "guess"
    return (examples[0], "convention") if examples else (None, "")


def error_of_guesses(module: nn.Module) -> Exception | None:
    """The error of the call that gets farthest with usual inputs; None if one of them works."""
    guess = _guessed(module, SECONDS_FOR_QUICK)
    return guess.error if isinstance(guess, _Farthest) else None


def searched_inputs(module: nn.Module) -> str | None:
    """Arguments that `forward` takes: usual ones, or those that a search finds from there."""
    guess = _guessed(module, SECONDS_FOR_QUICK)
    if isinstance(guess, str):
        return guess
    parameters = list(_parameters(module))
    needed = (p for p in parameters if p.default is p.empty)
    first = {p.name: _plain(p) if _is_plain(p) else guess.tensor for p in needed}
    candidates = {p.name: _values(p, (*_tensors(module), *MORE)) for p in parameters}
    values, failure = climbed(first, candidates, partial(_failure_of, module), SECONDS_TO_SEARCH)
    return None if failure else written(values)


def _failure_of(module: nn.Module, values: Values) -> FailedTrial | None:
    error = _error_of(module, written(values))
    return FailedTrial(error) if error else None


def _guessed(module: nn.Module, seconds: float) -> str | _Farthest:
    """Arguments that `forward` takes, or the call that got farthest."""
    ends = time.process_time() + seconds
    needed = needed_parameters(module.forward)
    failed = list[_Farthest]()
    takes_tensors = not all(map(_is_plain, needed))
    for tensor in dict.fromkeys(_tensors(module) if takes_tensors else ("",)):
        if failed and time.process_time() > ends:
            break
        for call in calls_with(tensor, needed):
            error = _error_of(module, call)
            if error is None:
                return call
            failed.append(_Farthest(tensor, error, call))
    silent = (one.call for one in failed if isinstance(one.error, NoTensorError))
    return next(silent, None) or max(failed, key=lambda one: FailedTrial(one.error).reach)


def _values(parameter: inspect.Parameter, tensors: tuple[str, ...]) -> tuple[str, ...]:
    """What a parameter of `forward` may be, by its annotation and its name."""
    hint = "" if parameter.annotation is parameter.empty else str(parameter.annotation)
    forms = ("[{}]", "[{}, {}]", "({}, {})")
    several = tuple(form.format(tensor, tensor) for tensor in tensors for form in forms)
    if re.search(SEVERAL, hint):
        return (*several, *tensors)
    tensors = (*(MASKS if "mask" in parameter.name else ()), *tensors)
    if "Tensor" in hint:
        return tensors
    plain = (values for pattern, values in NUMBERS if re.search(pattern, hint))
    return next(plain, (*tensors, *several, "2", "None"))


def _tensors(module: nn.Module) -> tuple[str, ...]:
    return (*_for_layers(module), *GENERAL)


def _parameters(module: nn.Module) -> Iterator[inspect.Parameter]:
    """Those of `forward` that can be given by keyword."""
    for parameter in inspect.signature(module.forward).parameters.values():
        if parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
            yield parameter


def calls_with(tensor: str, needed: Sequence[inspect.Parameter]) -> Iterator[str]:
    """Arguments for the needed parameters, with the tensor for each that may be one."""
    tensors = [p.name for p in needed if not _is_plain(p)]
    plain = [f"{p.name}={_plain(p)}" for p in needed if _is_plain(p)]
    given = [f"{name}={tensor}" for name in tensors]
    yield ", ".join([*given, *plain])
    if len(tensors) == 2:  # a loss: scores and classes, one for each row
        yield ", ".join([given[0], f"{tensors[1]}={CLASSES}", *plain])


def _for_layers(module: nn.Module) -> Iterator[str]:
    """What fits a layer that may be the first that is called."""
    for layer in islice(module.modules(), MOST_LAYERS):
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
