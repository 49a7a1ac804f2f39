"""What needs a real device: it raises NotImplementedError, or is a no-op with a warning."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import cache
from typing import Any

import torch

from ...common.compiling import checking_first
from ...common.patches import Patch
from ...common.refusals import refuse, refused_class
from ..library import functions


def patches() -> Iterator[Patch]:
    """On every build, then what only a CUDA build has."""
    cuda: Any = torch.cuda
    graphs = "a CUDA graph records kernels of a GPU"
    yield Patch(cuda, "CUDAGraph", refused_class("CUDAGraph", "CUDA graphs"), graphs)
    yield Patch(cuda, "graph", refused_class("graph", "CUDA graphs"), graphs)
    yield Patch(cuda, "make_graphed_callables", refuse("CUDA graphs"), graphs)
    handles = ((0, number) for number in itertools.count(1))
    yield Patch(cuda.graphs, "_graph_pool_handle", lambda: next(handles), graphs)
    yield Patch(
        torch, "compile", checking_first(torch.compile), "Inductor compiles CUDA code with Triton"
    )
    yield Patch(cuda.nccl, "is_available", lambda tensors: False, "NCCL needs GPUs")
    yield from _names_of_nvidias_libraries()
    yield from _names_of_kernels()


def _names_of_nvidias_libraries() -> Iterator[Patch]:
    why = "a CUDA build calls NVIDIA's library; a CPU build has no such name"
    for name, what in _names_in_c():
        yield Patch(torch._C, name, refuse(what, "needs"), why)
    for module in (torch.cuda, torch.cuda.memory):
        yield Patch(module, "MemPool", refused_class("MemPool", "memory pools"), why)
    if torch.distributed.is_available():
        symmetric = torch._C._distributed_c10d._SymmetricMemory
        yield Patch(symmetric, "empty_strided_p2p", refuse("symmetric memory", "needs"), why)


@cache
def _names_in_c() -> list[tuple[str, str]]:
    nccl = [name for name in vars(torch._C) if name.startswith("_nccl_") and "version" not in name]
    storage = [name for name in vars(torch._C) if name.startswith("_gds_")]
    return [(name, "NCCL") for name in nccl] + [(name, "GPUDirect Storage") for name in storage]


def _can_use(kernel: str) -> Any:
    """`torch.backends.cuda.can_use_flash_attention` and its like."""

    def run(params: Any, debug: bool = False) -> bool:
        names = ("query", "key", "value", "attn_mask", "dropout", "is_causal", "enable_gqa")
        given = [getattr(params, name) for name in names]
        return bool(functions.can_use_attention(kernel, *given, debug))

    return run


def _names_of_kernels() -> Iterator[Patch]:
    run_time = refuse("kernels that are compiled at run time")
    yield Patch(torch.cuda, "_compile_kernel", run_time, "it compiles CUDA code with NVRTC")
    never = lambda params, debug=False: False  # noqa: E731
    why = "`attention_choice` in source/fused_kernels.h never takes cuDNN's kernel"
    yield Patch(torch._C, "_can_use_cudnn_attention", never, why)
    yield Patch(torch._C, "_is_flash_attention_available", lambda: True, "a CPU build has none")
    why = "C++ of a build without CUDA says no, and that of a CUDA build asks for a GPU"
    for kernel, name in (("flash", "flash"), ("efficient", "mem_efficient")):
        yield Patch(torch._C, f"_can_use_{name}_attention", _can_use(kernel), why)
    why = "`torch.jit.fuser` would turn on again what `switch.turn_on` turned off"
    yield Patch(torch._C, "_jit_override_can_fuse_on_gpu", lambda on: None, why)
