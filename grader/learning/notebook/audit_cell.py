"""`audit(...)` for a notebook: the audit of any module, shown below the cell."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from grader.auditing import audit as audit_report
from grader.learning.notebook.display import show
from grader.learning.notebook.stopping import stopped_in_one_line
from grader.schema import Report

if TYPE_CHECKING:
    from grader.probe import DeviceChoice


def audit(module_or_factory: Any, inputs: Any = None, device: DeviceChoice = "auto") -> Report:
    """Show what will go wrong when a module moves to CUDA, and why; return the report.

    Args:
        module_or_factory: an `nn.Module`, which is never changed, or a class or function that makes
            one. If it takes `device=`, it is built on CUDA too.
        inputs: what to call it with, on the CPU: a tensor, a tuple of positional arguments, or a
            dict of keyword arguments, nested as you like; or a function that gives them. `()` calls
            it without any. Without inputs, it is never called, and only its structure looked at.
        device: what to judge on: `auto`, `cuda` or `simulated`.

    Raises:
        NoCudaDeviceError: `device` is `cuda` and there is none.
        StoppedError: it was interrupted.
    """
    with stopped_in_one_line():
        report = audit_report(module_or_factory, inputs, device)
    return show(report)
