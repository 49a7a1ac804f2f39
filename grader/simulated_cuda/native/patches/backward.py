"""Backward in the calling thread, so that the autograd engine needs no thread for a device."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import torch

from ...common.patches import Patch
from ..library import functions


def patches() -> Iterator[Patch]:
    """The two names under which PyTorch's Python reaches the engine.

    A thread for a device would be started at the first backward of a process, and a child forked
    after that could run no backward at all.
    """
    run = torch.autograd.graph._engine_run_backward
    settled_in = [os.getpid()]

    def backward(*args: Any, **named: Any) -> Any:
        if settled_in[0] != os.getpid():  # a forked child has an engine of its own
            functions.settle_engine()
            settled_in[0] = os.getpid()
        if not torch._C._is_multithreading_enabled():
            return run(*args, **named)
        torch._C._set_multithreading_enabled(False)
        try:
            return run(*args, **named)
        finally:
            torch._C._set_multithreading_enabled(True)

    why = "the engine would start a thread for each device"
    for module in (torch.autograd, torch.autograd.graph):
        yield Patch(module, "_engine_run_backward", backward, why)
