"""What may be mixed, and what CUDA says when it may not."""

from __future__ import annotations

from typing import Any

from torch import Tensor


def check(func: Any, names: list[str], args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Raise as CUDA does if the tensors of one call may not be mixed."""
    tensors = [(n, t) for n, t in [*zip(names, args, strict=False), *kwargs.items()]]
    flat = [
        (n, t)
        for n, v in tensors
        for t in (v if isinstance(v, (list, tuple)) else [v])
        if isinstance(t, Tensor)
    ]
    if sum(t.dim() > 0 for _, t in flat) <= 1:
        return
    common = flat[0][1].device
    for name, tensor in flat:
        if tensor.device != common:
            raise RuntimeError(
                "Expected all tensors to be on the same device, but got "
                f"{name} is on {tensor.device}, different from other tensors on {common} "
                f"(when checking argument in method wrapper_CUDA_{func._schema.name[6:]})"
            )
