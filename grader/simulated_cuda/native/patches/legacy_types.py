"""`torch.cuda.FloatTensor` and its like, which a build without CUDA has, but refuses to use."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import cache
from typing import Any

import torch

from ...common.legacy_dtypes import DTYPES
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


class tensortype(type):  # noqa: N801  (PyTorch's name)
    """The class of `torch.cuda.FloatTensor`: calls make tensors, `isinstance` recognises them."""

    dtype: torch.dtype
    layout: torch.layout
    is_cuda, is_xpu = True, False

    # C++ reads the type's own name, which has to be whole: `torch.cuda.FloatTensor`.
    __name__ = property(lambda cls: cls.__qualname__)

    @property
    def is_sparse(cls) -> bool:
        """Whether its tensors are sparse."""
        return cls.layout is torch.sparse_coo

    def __instancecheck__(cls, value: Any) -> bool:
        return (
            isinstance(value, torch.Tensor)
            and value.is_cuda
            and (value.dtype, value.layout) == (cls.dtype, cls.layout)
        )

    def __call__(cls, *args: Any, **named: Any) -> Any:
        """As `Tensor.new` of such a tensor: both are `legacy_tensor_generic_ctor_new` in C++."""
        warn_once(OLD)
        if args or named:
            torch.cuda._lazy_init()  # type: ignore[no-untyped-call]
        options: dict[str, Any] = {"dtype": cls.dtype, "layout": cls.layout, "device": "cuda"}
        with torch._C.DisableTorchFunction():
            with torch._C._DisableTorchDispatch():
                like = torch.ops.aten.empty.memory_format([0], **options)
            return like.new(*args, **named)

    def __setattr__(cls, name: str, value: Any) -> None:
        whole = f"{cls.__module__}.{cls.__qualname__}"
        raise TypeError(f"cannot set {name!r} attribute of immutable type '{whole}'")


tensortype.__module__ = "torch"


def _class(module: str, name: str, dtype: torch.dtype, layout: torch.layout) -> Any:
    def refuse_subclass(cls: Any) -> None:
        raise TypeError(f"type '{module}.{name}' is not an acceptable base type")

    contents = {"dtype": dtype, "layout": layout, "__module__": module, "__qualname__": name}
    contents["__init_subclass__"] = refuse_subclass
    return tensortype(f"{module}.{name}", (), contents)


@cache
def _classes(module: str, layout: torch.layout) -> dict[str, Any]:
    return {
        f"{name}Tensor": _class(module, f"{name}Tensor", dtype, layout)
        for name, dtype in DTYPES.items()
        if hasattr(sys.modules[module], f"{name}Tensor")
    }


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
    classes = _classes("torch.cuda", torch.strided)
    yield from each(torch.cuda, classes, why)
    yield from each(torch.cuda.sparse, _classes("torch.cuda.sparse", torch.sparse_coo), why)
    setter = _set_default_tensor_type(classes)
    yield Patch(torch._C, "_set_default_tensor_type", setter, "C++ knows PyTorch's classes only")
