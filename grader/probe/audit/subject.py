"""The subject of an audit, and the instances of it that one step leaves for another."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from torch import nn

from grader.probe.audit.uninitialised import with_parameters_filled
from grader.probe.inspection.copies import copier, twin
from grader.probe.inspection.inputs import Inputs
from grader.probe.inspection.registered import registered_once
from grader.probe.inspection.source import files_of
from grader.probe.subject import Instance, Subject

DEVICE = "device"


def audit_subject(target: Any, inputs: Any, seed: int, patience: float | None = None) -> Subject:
    """The module under audit.

    Args:
        target: an `nn.Module`, which is only ever copied, or a class or function that makes one.
        inputs: what to call it with, as for `as_inputs`; None if that is not known.
        seed: set before each construction and each call.
        patience: seconds after which optional steps are skipped.
    """
    fed = Inputs() if inputs is None else as_inputs(inputs)
    is_live = isinstance(target, nn.Module)
    make = copier(target) if is_live else with_parameters_filled(_on_the_cpu(target), seed)
    return Subject(
        make=make,
        feed=lambda: fed,
        files=_files_behind(maker(target)),
        seed=seed,
        factory_with_devices=_factory_with_devices(target, make),
        is_copied=is_live,
        patience=patience,
    )


def take_copies_of(subject: Subject, module: nn.Module) -> None:
    """From now on, let the subject's instances be copies of a live module."""
    subject.make, subject.is_copied = copier(module), True
    subject.factory_with_devices = _factory_with_devices(module, subject.make)


def _factory_with_devices(target: Any, make: Callable[..., Any]) -> Callable[[], Any] | None:
    """See `Subject.factory_with_devices`."""
    if isinstance(target, nn.Module):
        return partial(twin, target) if gpus_of(target) else None
    return None if isinstance(maker(target), type) else make


def gpus_of(module: nn.Module) -> set[str]:
    """The CUDA devices of what a module registers."""
    places = (entry.tensor.device for entry in registered_once(module))
    return {str(place) for place in places if place.type == "cuda"}


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


def _files_behind(target: Any) -> set[str]:
    if isinstance(target, type):
        return files_of(target)
    code = getattr(inspect.unwrap(target), "__code__", None)
    return {code.co_filename} if code else set()


@dataclass(eq=False)
class AuditRun:
    """An audit under way.

    Attributes:
        subject: the module under audit.
        calls: how often the first instance was called on the CPU before it was moved.
        cpu_instance: the instance that the structure describes; called on the CPU, then moved
            about. None once it is no longer of use; `sharing` says what it is used for after that.
        cuda_instance: an instance that was constructed on CUDA and not called yet.
        built_on_gpu: the GPU on which its maker left that one unasked; `""` if it was asked.
        second_instance: a second instance, as its maker left it.
        moved_instance: an instance that was moved to CUDA and not called yet.
        is_moved_traced: whether a trace knows what made the tensors of that one.
        moves_inputs: whether the first call on CUDA asked to move a tensor.
        registers_late: whether the first call on the CPU registered a tensor.
        loads_itself: whether it has a say in how it is loaded.
        holds_optimizers: whether an instance holds an optimizer once it is constructed.
    """

    subject: Subject
    calls: int = 0
    cpu_instance: Instance | None = None
    cuda_instance: nn.Module | None = None
    built_on_gpu: str = ""
    second_instance: Instance | None = None
    moved_instance: nn.Module | None = None
    is_moved_traced: bool = False
    moves_inputs: bool = False
    registers_late: bool = False
    loads_itself: bool = False
    holds_optimizers: bool = False
