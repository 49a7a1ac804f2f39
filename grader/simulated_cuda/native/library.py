"""Load the compiled device into this process, once, and call its functions."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import torch

from . import build


@cache
def load() -> None:
    """Load it; it is compiled first if it never was for this PyTorch.

    Nothing is changed in PyTorch by that but a namespace, `torch.ops.simulated_cuda`.

    Raises:
        LibraryError: it is not there, and cannot be compiled.
    """
    torch.ops.load_library(str(build.find_or_build()))  # type: ignore[no-untyped-call]


class _Functions:
    """`torch.ops.simulated_cuda`, whose functions no mode and no transform sees.

    Ours are operators, and stand in for functions of C++ that are none: a `TorchDispatchMode`,
    a `TorchFunctionMode` or a tracer must not find them in what it notes.
    """

    def __getattr__(self, name: str) -> Callable[..., Any]:
        operator = getattr(torch.ops.simulated_cuda, name)
        no_keys = torch._C.DispatchKeySet.from_raw_repr(0)

        def run(*args: Any) -> Any:
            with torch._C.DisableTorchFunction(), torch._C._ForceDispatchKeyGuard(no_keys, no_keys):
                return operator(*args)

        vars(self)[name] = run
        return run


functions: Any = _Functions()
