"""The subject of an audit: a live module, or what makes one."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from torch import nn

from grader.probe.inspection.copies import copier, twin
from grader.probe.inspection.inputs import Inputs
from grader.probe.inspection.registered import gpus_of
from grader.probe.inspection.source import defining_files
from grader.probe.inspection.uninitialised import with_parameters_filled
from grader.probe.subject import Subject

DEVICE = "device"


def audit_subject(target: Any, inputs: Any, seed: int) -> Subject:
    """The module under audit.

    Args:
        target: an `nn.Module`, which is only ever copied, or a class or function that makes one.
        inputs: what to call it with, as for `as_inputs`; None if that is not known.
        seed: set before each construction and each call.
    """
    fed = None if inputs is None else as_inputs(inputs)
    is_live = isinstance(target, nn.Module)
    make = copier(target) if is_live else with_parameters_filled(_on_the_cpu(target), seed)
    return Subject(
        make=make,
        feed=None if fed is None else lambda: fed,
        written=frozenset(defining_files(maker(target))),
        seed=seed,
        make_where_it_belongs=_where_it_belongs(target, make),
        is_copied=is_live,
    )


def _where_it_belongs(target: Any, make: Callable[..., Any]) -> Callable[[], Any] | None:
    """See `Subject.make_where_it_belongs`."""
    if isinstance(target, nn.Module):
        return partial(twin, target) if gpus_of(target) else None
    return None if isinstance(maker(target), type) else make


def as_inputs(inputs: Any) -> Inputs:
    """`given` as `forward`'s arguments: a dict by keyword, a tuple or list in order, else one."""
    if isinstance(inputs, Inputs):
        return inputs
    if isinstance(inputs, Mapping):
        return Inputs(kwargs=inputs)
    if type(inputs) in (tuple, list):
        return Inputs(args=tuple(inputs))
    return Inputs(args=(inputs,))


def maker(target: Any) -> Any:
    """The class or function that `target` comes from."""
    if isinstance(target, partial):
        return maker(target.func)
    return type(target) if isinstance(target, nn.Module) else target


def needed_arguments(make: Callable[..., Any]) -> list[str]:
    """The parameters that must be given, where they can be known; a device is not missed."""
    return [
        name
        for name, parameter in parameters_of(make).items()
        if parameter.default is parameter.empty
        and parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
        and name != DEVICE
    ]


def _on_the_cpu(make: Callable[..., Any]) -> Callable[..., Any]:
    """`make`, so that it can be called without a device."""
    device = parameters_of(make).get(DEVICE)
    return partial(make, device="cpu") if device and device.default is device.empty else make


def parameters_of(function: Callable[..., Any]) -> Mapping[str, inspect.Parameter]:
    """The parameters of a class or function by name; none if they cannot be known."""
    try:
        return inspect.signature(function).parameters
    except (TypeError, ValueError):  # it hides its signature
        return {}
