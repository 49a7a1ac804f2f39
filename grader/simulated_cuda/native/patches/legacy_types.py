"""`torch.cuda.FloatTensor` and its like, which a build without CUDA has, but refuses to use."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from functools import cache
from typing import Any

import torch

from ...common.legacy_dtypes import DTYPES
from ...common.patches import Patch, each

OLD = (
    "The torch.cuda.*DtypeTensor constructors are no longer recommended. It's best to use methods "
    "such as torch.tensor(data, dtype=*, device='cuda') to create tensors."
)
DEPRECATED = (
    "torch.set_default_tensor_type() is deprecated as of PyTorch 2.1, please use "
    "torch.set_default_dtype() and torch.set_default_device() as alternatives."
)
_heard: set[str] = set()


def _warn_once(message: str) -> None:
    """As C++'s TORCH_WARN_ONCE, which `torch.set_warn_always` makes warn each time."""
    if message not in _heard or torch.is_warn_always_enabled():
        _heard.add(message)
        warnings.warn(message, stacklevel=3)


class _LegacyType(type):
    """The class of `torch.cuda.FloatTensor`: calls make tensors, `isinstance` recognises them."""

    dtype: torch.dtype

    def __instancecheck__(cls, value: Any) -> bool:
        return isinstance(value, torch.Tensor) and value.is_cuda and value.dtype is cls.dtype

    def __call__(cls, *args: Any, **named: Any) -> Any:
        _warn_once(OLD)
        if args and isinstance(args[0], torch.Tensor) and not args[0].is_cuda:
            raise TypeError(
                "expected TensorOptions(dtype=float, device=cuda, layout=Strided, "
                "requires_grad=false (default), pinned_memory=false (default), "
                "memory_format=(nullopt)) (got TensorOptions(dtype=float, device=cpu, "
                "layout=Strided, requires_grad=false (default), pinned_memory=false (default), "
                "memory_format=(nullopt)))"
            )
        if len(args) == 1 and isinstance(args[0], (list, tuple)):
            return torch.tensor(args[0], dtype=cls.dtype, device="cuda")
        if len(args) == 1 and isinstance(args[0], torch.Tensor):
            return args[0].detach()
        return torch.empty(*(args or (0,)), dtype=cls.dtype, device="cuda", **named)


@cache
def _classes() -> dict[str, Any]:
    # `Tensor.type` and `set_default_tensor_type` parse the class's full name.
    return {
        f"{name}Tensor": _LegacyType(f"torch.cuda.{name}Tensor", (), {"dtype": dtype})
        for name, dtype in DTYPES.items()
    }


def _set_default_tensor_type(classes: dict[str, Any]) -> Any:
    """`torch.set_default_tensor_type` sets the default dtype and device.

    For `torch.cuda` types ours does so by Python's setters, which factories in C++ do not see.
    """
    before = torch._C._set_default_tensor_type

    def run(kind: Any) -> None:
        name = kind.__name__ if isinstance(kind, type) else str(kind)
        if not isinstance(kind, str) and kind not in classes.values():
            name = ""
        if name.startswith("torch.cuda."):
            _warn_once(DEPRECATED)
            torch.set_default_dtype(classes[name.rpartition(".")[2]].dtype)
            torch.set_default_device("cuda")
            return
        torch.set_default_device(None)
        before(kind)

    return run


def patches() -> Iterator[Patch]:
    """None on a CUDA build, whose own classes work."""
    if torch.version.cuda is not None:
        return
    classes = _classes()
    yield from each(torch.cuda, classes, "without CUDA, PyTorch's classes raise when they are used")
    setter = _set_default_tensor_type(classes)
    yield Patch(torch._C, "_set_default_tensor_type", setter, "C++ knows PyTorch's classes only")
