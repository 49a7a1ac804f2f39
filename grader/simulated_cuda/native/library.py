"""Load the compiled device into this process, once."""

from __future__ import annotations

from functools import cache

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
