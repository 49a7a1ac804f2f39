"""Tools around CUDA that code may call and that have nothing to do here: the runtime, NVTX."""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType
from typing import Any

import torch

from ...common.patches import Patch
from .bindings import is_integer, wrong_arguments
from .memory import memory_left

# cudaGetErrorString, for codes that learners meet (driver_types.h of CUDA 13).
ERRORS = {
    0: "no error",
    1: "invalid argument",
    2: "out of memory",
    3: "initialization error",
    4: "driver shutting down",
    35: "CUDA driver version is insufficient for CUDA runtime version",
    46: "CUDA-capable device(s) is/are busy or unavailable",
    98: "invalid device function",
    100: "no CUDA-capable device is detected",
    101: "invalid device ordinal",
    200: "device kernel image is invalid",
    201: "invalid device context",
    209: "no kernel image is available for execution on the device",
    217: "peer access is not supported between these two devices",
    400: "invalid resource handle",
    500: "named symbol not found",
    600: "device not ready",
    700: "an illegal memory access was encountered",
    701: "too many resources requested for launch",
    702: "the launch timed out and was terminated",
    704: "peer access is already enabled",
    705: "peer access has not been enabled",
    710: "device-side assert triggered",
    716: "misaligned address",
    718: "invalid program counter",
    719: "unspecified launch failure",
    801: "operation not supported",
    802: "system not yet initialized",
    803: "system has unsupported display driver / cuda driver combination",
    999: "unknown error",
}


class _Error(int):
    """`torch._C._cudart.cudaError`, of which PyTorch names only `success`."""

    success: Any

    def __new__(cls, value: Any) -> Any:
        if not is_integer(value):
            signature = "__init__(value: typing.SupportsInt | typing.SupportsIndex)"
            text = str(wrong_arguments(signature, value)).replace("function", "constructor")
            raise TypeError(text.replace("1. (", "1. torch._C._cudart.cudaError("))
        return super().__new__(cls, value)

    @property
    def name(self) -> str:
        return "???" if self else "success"

    value = property(int)

    def __repr__(self) -> str:
        return f"<cudaError.{self.name}: {int(self)}>"

    def __str__(self) -> str:
        return f"cudaError.{self.name}"


_Error.__name__ = _Error.__qualname__ = "cudaError"
_Error.__module__ = "torch._C._cudart"
_Error.success = _Error(0)


def _error_string(code: Any) -> str:
    if not isinstance(code, _Error):
        signature = "cudaGetErrorString(arg0: torch._C._cudart.cudaError) -> str"
        raise wrong_arguments(signature, code)
    return ERRORS.get(int(code), "unrecognized error code")


SUCCEED = (
    "cudaProfilerStart", "cudaProfilerStop", "cudaHostRegister", "cudaHostUnregister",
    "cudaStreamCreate", "cudaStreamDestroy",
)  # fmt: skip


def _succeed(*_: Any) -> Any:
    return _Error.success


def _cudart() -> ModuleType:
    """`torch._C._cudart`: every call succeeds."""
    module = ModuleType("torch._C._cudart")
    vars(module).update(
        cudaError=_Error,
        cudaGetErrorString=_error_string,
        **dict.fromkeys(SUCCEED, _succeed),
        cudaMemGetInfo=memory_left,
    )
    return module


NO_TRACKING = -2  # NVTX_NO_PUSH_POP_TRACKING: what NVTX gives where no profiler listens


def _push(message: str) -> int:
    if not isinstance(message, str):
        raise wrong_arguments("rangePushA(arg0: str) -> int", message)
    return NO_TRACKING


def _mark(message: str) -> None:
    if not isinstance(message, str):
        raise wrong_arguments("markA(arg0: str) -> None", message)


def _nvtx() -> ModuleType:
    """`torch._C._nvtx`: ranges that no profiler records."""
    module = ModuleType("torch._C._nvtx")
    vars(module).update(rangePushA=_push, rangePop=lambda: NO_TRACKING, markA=_mark)
    vars(module).update(dict.fromkeys(("rangeStartA", "deviceRangeStart"), lambda *_: 0))
    vars(module).update(dict.fromkeys(("rangeEnd", "deviceRangeEnd"), lambda *_: None))
    return module


def _nothing(*_: Any) -> None:
    """`emit_nvtx` neither starts nor stops a profiler."""


def patches() -> Iterator[Patch]:
    """`torch.cuda.cudart()` and `torch.cuda.nvtx`."""
    yield Patch(torch.cuda, "_cudart", _cudart(), "a CPU build has no bindings of CUDA's runtime")
    yield Patch(torch.cuda.nvtx, "_nvtx", _nvtx(), "a CPU build has no NVTX")
    for name in ("__enter__", "__exit__"):
        yield Patch(torch.autograd.profiler.emit_nvtx, name, _nothing, "it starts CUDA's profiler")
