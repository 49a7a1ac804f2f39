"""Tools around CUDA that code may call and that have nothing to do here: the runtime, NVTX."""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType, SimpleNamespace
from typing import Any

import torch

from ...common.patches import Patch
from .memory import memory_left


def _cudart() -> ModuleType:
    """`torch._C._cudart`: every call succeeds."""
    module = ModuleType("torch._C._cudart")
    vars(module).update(
        cudaError=SimpleNamespace(success=0),
        cudaGetErrorString=lambda code: "no error",
        cudaProfilerStart=lambda: 0,
        cudaProfilerStop=lambda: 0,
        cudaHostRegister=lambda *_: 0,
        cudaHostUnregister=lambda *_: 0,
        cudaMemGetInfo=memory_left,
    )
    return module


class _Ranges:
    """`torch._C._nvtx`: nested ranges that no profiler records."""

    depth = 0

    def rangePushA(self, message: str) -> int:  # noqa: N802  (PyTorch's name)
        """The depth of the range that begins."""
        self.depth += 1
        return self.depth - 1

    def rangePop(self) -> int:  # noqa: N802
        """The depth of the range that ends."""
        self.depth -= 1
        return self.depth

    rangeStartA = markA = rangeEnd = staticmethod(lambda *_: 0)  # noqa: N815


def _nothing(*_: Any) -> None:
    """`emit_nvtx` neither starts nor stops a profiler."""


def patches() -> Iterator[Patch]:
    """`torch.cuda.cudart()` and `torch.cuda.nvtx`."""
    yield Patch(torch.cuda, "_cudart", _cudart(), "a CPU build has no bindings of CUDA's runtime")
    yield Patch(torch.cuda.nvtx, "_nvtx", _Ranges(), "a CPU build has no NVTX")
    for name in ("__enter__", "__exit__"):
        yield Patch(torch.autograd.profiler.emit_nvtx, name, _nothing, "it starts CUDA's profiler")
