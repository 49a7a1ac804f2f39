"""An audit under way: the module, and the instances that one step leaves for another."""

from __future__ import annotations

from dataclasses import dataclass

from torch import nn

from grader.probe.subject import Instance, Subject


@dataclass(eq=False)
class AuditRun:
    """An audit under way.

    Attributes:
        subject: the module under audit.
        calls: how often the first instance was called on the CPU before it was moved.
        first: the instance that the structure describes; called on the CPU, then moved about. None
            once it is no longer of use; see `sharing` for what it is used for after that.
        built: an instance that was constructed on CUDA and not called yet.
        handed_out_on: the GPU on which its maker left that one unasked; `""` if it was asked.
        spare: a second instance, as its maker left it.
        moved: an instance that was moved to CUDA and not called yet.
        is_moved_traced: whether a trace knows what made the tensors of that one.
        moves_inputs: whether the first call on CUDA asked to move a tensor.
        loads_itself: whether it has a say in how it is loaded.
        holds_optimizers: whether an instance holds an optimizer once it is constructed.
    """

    subject: Subject
    calls: int = 0
    first: Instance | None = None
    built: nn.Module | None = None
    handed_out_on: str = ""
    spare: Instance | None = None
    moved: nn.Module | None = None
    is_moved_traced: bool = False
    moves_inputs: bool = False
    loads_itself: bool = False
    holds_optimizers: bool = False
