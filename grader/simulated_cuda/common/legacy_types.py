"""The classes `torch.cuda.FloatTensor` and its like, made in Python."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache
from typing import Any

import torch

# By the first part of their names.
DTYPES = {
    "Byte": torch.uint8,
    "Char": torch.int8,
    "Short": torch.int16,
    "Int": torch.int32,
    "Long": torch.int64,
    "Half": torch.float16,
    "BFloat16": torch.bfloat16,
    "Float": torch.float32,
    "Double": torch.float64,
    "Bool": torch.bool,
}


class tensortype(type):  # noqa: N801  (PyTorch's name)
    """The class of `torch.cuda.FloatTensor`: calls make tensors, `isinstance` recognises them."""

    dtype: torch.dtype
    layout: torch.layout
    make: Callable[[dict[str, Any], tuple[Any, ...], dict[str, Any]], Any]
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
        return cls.make({"dtype": cls.dtype, "layout": cls.layout, "device": "cuda"}, args, named)

    def __setattr__(cls, name: str, value: Any) -> None:
        whole = f"{cls.__module__}.{cls.__qualname__}"
        raise TypeError(f"cannot set {name!r} attribute of immutable type '{whole}'")


tensortype.__module__ = "torch"


def _class(module: str, name: str, **contents: Any) -> Any:
    def refuse_subclass(cls: Any) -> None:
        raise TypeError(f"type '{module}.{name}' is not an acceptable base type")

    contents |= {"__module__": module, "__qualname__": name}
    contents["__init_subclass__"] = refuse_subclass
    return tensortype(f"{module}.{name}", (), contents)


@cache
def classes(module: str, layout: torch.layout, make: Any) -> dict[str, Any]:
    """Those of a module that has such names; `make` is given options, arguments and keywords."""
    contents = {"layout": layout, "make": staticmethod(make)}
    return {
        f"{name}Tensor": _class(module, f"{name}Tensor", dtype=dtype, **contents)
        for name, dtype in DTYPES.items()
        if hasattr(sys.modules[module], f"{name}Tensor")
    }
