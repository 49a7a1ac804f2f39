"""Refuses kernels for PyTorch's own operators.

Threat: `torch.library.Library("aten", "IMPL").impl("sub", …, "CUDA")` replaces an operator for the
whole process, the probe included. A library in a namespace of the learner's own is fine.
"""

from __future__ import annotations

import sys
from typing import Any

import torch

from grader.probe.inspection.library import LIBRARY_PREFIXES

NAMESPACES = frozenset(("aten", "prim", "prims", "c10d", "profiler"))
PASSES_ON = ("/torch/library.py",)
NO_KERNEL = (
    "An answer may not give PyTorch's operator library `{}` another kernel while it is graded. An "
    "operator in a namespace of its own is fine."
)


def refuse_kernels() -> None:
    """Refuse them from now on, for good. For a child process only."""
    space: Any = torch._C
    register = space._dispatch_library
    getframe, library_prefixes, begins_with = sys._getframe, LIBRARY_PREFIXES, str.startswith

    def is_library_request(frame: Any) -> bool:
        """Whether an installed library asks, through `torch.library` or directly."""
        while frame is not None and frame.f_code.co_filename.endswith(PASSES_ON):
            frame = frame.f_back
        return frame is None or begins_with(frame.f_code.co_filename, library_prefixes)

    def dispatch_library(kind: str, name: str, *where: Any) -> Any:
        if name in NAMESPACES and not is_library_request(getframe(1)):
            raise PermissionError(NO_KERNEL.format(name))
        return register(kind, name, *where)

    space._dispatch_library = dispatch_library
