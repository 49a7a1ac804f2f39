"""Single names of PyTorch that ask for the device in their own way."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from torch.autograd.graph import saved_tensors_hooks
from torch.optim import optimizer
from torch.utils.hooks import BackwardHook

from ...common.compiling import leave_uncompiled
from ...common.patches import Patch, each
from .. import backward, devices
from ..calls import CudaNames
from ..operators import randomness
from ..tensors import lazy, saving
from ..tensors.tensor import CudaTensor
from . import memory


def patches() -> Iterator[Patch]:
    """Random numbers, storages, modules, optimizers, accelerators, autograd, refusals."""
    cuda = torch.device("cuda")
    why = "C++ makes no generator for the backend"
    yield Patch(torch, "Generator", randomness.Generator, why)
    for name in ("to", "cuda"):
        why = "`torch.load` moves storages, which hold the memory of the CPU"
        yield Patch(torch.UntypedStorage, name, saving.to, why)
    accelerator = {
        "_accelerator_getAccelerator": lambda: cuda,
        "_accelerator_getDeviceIndex": devices.ordinal,
        "_accelerator_synchronizeDevice": lambda index: None,
    }
    for name in ("setDeviceIndex", "exchangeDevice", "maybeExchangeDevice"):
        accelerator[f"_accelerator_{name}"] = devices.exchange
    yield from each(torch._C, accelerator, "C++ asks the backend, or nothing")
    names = {"empty_host_cache": lambda: None, **memory.names()}
    names["get_memory_info"] = names.pop("mem_get_info")
    for owner in (torch.accelerator, torch.accelerator.memory):
        yield from each(owner, names, "C++ has no allocator of the backend")
    why = "`Module._apply` moves Parameters with it; ours keeps hooks and weak references"
    yield Patch(torch.utils, "swap_tensors", lazy.swap_parameter, why)
    why = "PyTorch's makes its empty data on the device, where it has no storage"
    yield Patch(torch.nn.UninitializedParameter, "__new__", staticmethod(lazy.new_parameter), why)
    yield Patch(torch.nn.UninitializedBuffer, "__new__", staticmethod(lazy.new), why)
    types = [*optimizer._foreach_supported_types, CudaTensor]
    yield Patch(optimizer, "_foreach_supported_types", types, "it lists classes, exactly")
    cudnn: Any = torch.backends.cudnn.m  # type: ignore[attr-defined]
    yield Patch(cudnn, "is_acceptable", lambda tensor: False, "there is no cuDNN")
    yield Patch(torch.cuda.nccl, "is_available", lambda tensors: False, "NCCL needs GPUs")
    why = "Dynamo does not trace tensors whose dispatch is Python"
    yield Patch(torch, "compile", leave_uncompiled, why)
    autograd: Any = torch.autograd
    why = "an exception of Python code inside backward would end the process"
    run = backward.runner(autograd._engine_run_backward, CudaNames)
    yield Patch(autograd, "_engine_run_backward", run, why)
    hooks = backward.module_hooks(BackwardHook._apply_on_tensors)
    yield Patch(BackwardHook, "_apply_on_tensors", hooks, why)
    hooks = backward.saving_hooks(saved_tensors_hooks.__init__)
    yield Patch(saved_tensors_hooks, "__init__", hooks, why)
