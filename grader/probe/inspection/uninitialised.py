"""Memory that nothing has written yet: made recognisable, found, and filled.

What `torch.empty` and `Module.to_empty` give is whatever the memory held before: zeros in one run,
and something else in the next. An audit that compares numbers needs the same in every run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import wraps
from typing import Any

import torch
from torch import nn

from grader.probe.inspection.plain import is_on_meta, plain
from grader.probe.inspection.registered import is_a, registered_once
from grader.probe.inspection.values import is_dense, is_sized


@contextmanager
def recognisable() -> Iterator[None]:
    """In the block, PyTorch fills uninitialised memory: NaN, the largest integer, True.

    See `torch.utils.deterministic.fill_uninitialized_memory`, which holds in deterministic mode
    only.
    """
    settings: Any = torch.utils.deterministic
    mode, fills = torch.get_deterministic_debug_mode(), settings.fill_uninitialized_memory
    torch.set_deterministic_debug_mode(1)  # `use_deterministic_algorithms` imports the compiler
    settings.fill_uninitialized_memory = True
    try:
        yield
    finally:
        settings.fill_uninitialized_memory = fills
        torch.set_deterministic_debug_mode(mode)


def is_unwritten(tensor: torch.Tensor) -> bool:
    """Whether a tensor is on the meta device, or still as `recognisable` memory begins.

    Booleans cannot be told apart from written ones.
    """
    if is_on_meta(tensor):
        return True
    if not is_sized(tensor):  # of a lazy layer
        return False
    tensor = plain(tensor).detach()
    if not is_dense(tensor) or not tensor.numel() or tensor.dtype is torch.bool:
        return False
    first = tensor.as_strided((), ()).item()  # tells most that are written
    if tensor.is_floating_point() or tensor.is_complex():
        return first != first and bool(tensor.isnan().all())
    most = torch.iinfo(tensor.dtype).max
    return first == most and bool((tensor == most).all())


def with_parameters_filled(make: Callable[..., Any], seed: int) -> Callable[..., Any]:
    """`make`, with random values in the Parameters that it leaves uninitialised.

    A layer may leave that to its owner, or to a checkpoint. Two instances must still be alike.
    """

    @wraps(make, updated=())  # a class's `__dict__` holds its methods
    def fill_uninitialised(*args: Any, **kwargs: Any) -> Any:
        with recognisable():
            made = make(*args, **kwargs)
        if is_a(made, nn.Module):
            _fill(made, seed)
        return made

    return fill_uninitialised


def _fill(module: nn.Module, seed: int) -> None:
    generator = torch.Generator().manual_seed(seed)
    for entry in registered_once(module):
        if entry.role == "parameter" and _needs_values(entry.tensor):
            tensor = plain(entry.tensor).detach()
            tensor.copy_(torch.randn(tensor.shape, generator=generator))


def _needs_values(parameter: torch.Tensor) -> bool:
    """Whether it has memory for floating-point numbers that nothing has written yet.

    A plain Parameter is asked past the trace, which would record a dozen operations for each.
    """
    is_plain = type(parameter) is nn.Parameter
    with torch._C.DisableTorchFunction() if is_plain else nullcontext():
        if not is_sized(parameter) or is_on_meta(parameter):
            return False
        return parameter.is_floating_point() and is_unwritten(parameter)
