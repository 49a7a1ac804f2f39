"""Audits any module: no rubric, only what constructing, moving, calling and training it shows."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from grader.grading import fresh_seed
from grader.judge.audit import judge_audit
from grader.judge.report import Report

if TYPE_CHECKING:
    from grader.probe.device import Choice
    from grader.probe.subject import Inputs


def audit(module_or_factory: Any, inputs: Any = (), device: Choice = "auto") -> Report:
    """Say what will go wrong when a module moves to CUDA, and why.

    Args:
        module_or_factory: an `nn.Module`, which is audited on copies and never changed, or a class
            or function that makes one. If it takes `device=`, it is built on CUDA too.
        inputs: what to call it with, on the CPU: a tensor, a tuple of positional arguments, or a
            dict of keyword arguments, nested as you like; or a function that gives them.
        device: what to judge on: `auto`, `cuda` or `simulated`.

    Raises:
        NoCudaDeviceError: `device` is `cuda` and there is none.
    """
    from torch import nn

    from grader.probe.device import cuda_device
    from grader.probe.inspection import AUDIT_STAGES
    from grader.probe.session import run_probe, torch_as_it_was
    from grader.probe.source import files_of
    from grader.probe.subject import Subject

    is_module = isinstance(module_or_factory, nn.Module)
    cls = type(module_or_factory) if is_module else module_or_factory
    files = files_of(cls) if isinstance(cls, type) else {inspect.getsourcefile(cls) or ""}
    with torch_as_it_was():
        fed = as_inputs(inputs() if callable(inputs) else inputs)
    subject = Subject(
        make=_copier(module_or_factory) if is_module else module_or_factory,
        feed=lambda: fed,
        files=files,
        seed=fresh_seed(),
    )
    with cuda_device(device) as label:
        evidence = run_probe(subject, label, AUDIT_STAGES)
    return judge_audit(evidence, getattr(cls, "__name__", "the module"))


def as_inputs(given: Any) -> Inputs:
    """`given` as `forward`'s arguments: a dict by keyword, a tuple or list in order, else one."""
    from grader.probe.subject import Inputs

    if isinstance(given, Mapping):
        return Inputs(kwargs=given)
    if type(given) in (tuple, list):
        return Inputs(args=tuple(given))
    return Inputs(args=(given,))


def _copier(module: Any) -> Callable[[], Any]:
    pristine = copy.deepcopy(module)
    return lambda: copy.deepcopy(pristine)
