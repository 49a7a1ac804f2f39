"""The ways into autograd: each lets an exception from inside backward reach the caller."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from torch.autograd.graph import saved_tensors_hooks
from torch.utils.hooks import BackwardHook

from ...common.patches import Patch
from .. import backward
from ..calls import CudaNames


def patches() -> Iterator[Patch]:
    """The engine, the backward hooks of modules and the hooks of saved tensors."""
    autograd: Any = torch.autograd
    why = "an exception of Python code inside backward would end the process"
    run = backward.runner(autograd._engine_run_backward, CudaNames)
    yield Patch(autograd, "_engine_run_backward", run, why)
    module_hooks = backward.module_hooks(BackwardHook._apply_on_tensors)
    yield Patch(BackwardHook, "_apply_on_tensors", module_hooks, why)
    saving_hooks = backward.saving_hooks(saved_tensors_hooks.__init__)
    yield Patch(saved_tensors_hooks, "__init__", saving_hooks, why)
