"""Functions of `torch._C` named `_cuda_...`: a build without CUDA has none of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import torch

from ...common.patches import Patch

PREFIX = "_cuda_"


def c_functions(functions: Mapping[str, Any], why: str) -> Iterator[Patch]:
    """Patches of `torch._C` for functions named without the prefix.

    `torch.cuda.graphs` imports some by name, where PyTorch has them: those are patched there too.
    """
    for name, function in functions.items():
        yield Patch(torch._C, PREFIX + name, function, why)
        if PREFIX + name in vars(torch.cuda.graphs):
            yield Patch(torch.cuda.graphs, PREFIX + name, function, why)
