"""`torch.cuda.FloatTensor` and its like, which a build without CUDA has, but refuses to use."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch

from ...common.legacy_types import classes
from ...common.patches import Patch, each
from .bindings import warn_once

OLD = (
    "The torch.cuda.*DtypeTensor constructors are no longer recommended. It's best to use methods "
    "such as torch.tensor(data, dtype=*, device='cuda') to create tensors."
)
DEPRECATED = (
    "torch.set_default_tensor_type() is deprecated as of PyTorch 2.1, please use "
    "torch.set_default_dtype() and torch.set_default_device() as alternatives."
)


def _make(options: dict[str, Any], args: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """As `Tensor.new` of such a tensor: both are `legacy_tensor_generic_ctor_new` in C++."""
    warn_once(OLD)
    if args or named:
        torch.cuda._lazy_init()  # type: ignore[no-untyped-call]
    with torch._C.DisableTorchFunction():
        with torch._C._DisableTorchDispatch():
            like = torch.ops.aten.empty.memory_format([0], **options)
        return like.new(*args, **named)


def _set_default_tensor_type(classes: dict[str, Any]) -> Any:
    """`torch.set_default_tensor_type` sets the default dtype and device.

    For `torch.cuda` types ours does so by Python's setters, which factories in C++ do not see.
    """
    before = torch._C._set_default_tensor_type

    def run(kind: Any) -> None:
        if kind in classes.values():
            warn_once(DEPRECATED)
            torch.set_default_dtype(kind.dtype)
            torch.set_default_device("cuda")
            return
        torch.set_default_device(None)
        before(kind)

    return run


def patches() -> Iterator[Patch]:
    """None on a CUDA build, whose own classes work."""
    if torch.version.cuda is not None:
        return
    why = "without CUDA, PyTorch's classes raise when they are used"
    dense = classes("torch.cuda", torch.strided, _make)
    yield from each(torch.cuda, dense, why)
    sparse = classes("torch.cuda.sparse", torch.sparse_coo, _make)
    yield from each(torch.cuda.sparse, sparse, why)
    setter = _set_default_tensor_type(dense)
    yield Patch(torch._C, "_set_default_tensor_type", setter, "C++ knows PyTorch's classes only")
