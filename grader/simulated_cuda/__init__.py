"""A CUDA device on any machine: `"cuda"` works, with real values, and fails as a GPU would.

    from grader import simulated_cuda

    with simulated_cuda(devices=2):
        layer = torch.nn.Linear(3, 4).cuda()
        layer(torch.ones(1, 3))     # RuntimeError: Expected all tensors to be on the same ...

How it works. PyTorch lets one backend from outside register itself, even from Python (`backend`).
A tensor "on CUDA" is a wrapper with sizes, strides and autograd of its own; the values are in its
host, a CPU tensor (`tensor`). Every operator that meets a wrapper is handed to us below autograd
(`dispatch`). There are three things to do then, and one table for each:

    where are they?     all on one device, or may these be mixed?        `rules`
    run it              on the hosts; a few operators otherwise          `special`
    wrap the results    on the device of the operands, or `device=`      `hosts`

Above autograd, a function mode sees each call as it was written, turns "cuda" into the name the
backend has in C++, and back again in messages (`calls`). So user code never sees that name, and
C++ never sees "cuda", which it would take for a real GPU.

A move makes a new tensor, except of a Parameter (`Module.cuda`) or with `x.data = ...`: there the
Python object stays and what it holds changes (`tensor.swap`), so that optimizers and ties go on.

The rest is what surrounds tensors: the devices and the current one (`devices`), `torch.cuda`
(`cuda_module`), random numbers (`randomness`), checkpoints (`saving`), mixed precision
(`autocast`), errors in backward (`backward`), `DataParallel` (`parallel`), TorchScript
(`scripting`). `switch` puts all of it into PyTorch and takes it out again. What is private in
PyTorch is in `backend`; what `switch` replaces by name is put back by name.

Start reading at `tensor.CudaTensor`, then `dispatch.Plan.run`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

__all__ = ["disable", "enable", "is_enabled", "simulated_cuda"]

_depth: list[int] = []


def enable(devices: int = 2) -> None:
    """Make "cuda" mean a simulated device, with `devices` of them, until `disable`.

    Calls nest: the innermost says how many devices there are.
    """
    from . import switch

    if not _depth:
        switch.turn_on()
    _depth.append(devices)
    switch.set_count(devices)


def disable() -> None:
    """Undo one `enable`; the last one leaves only the registered backend behind."""
    if not _depth:
        return
    from . import switch

    _depth.pop()
    if _depth:
        switch.set_count(_depth[-1])
    else:
        switch.turn_off()


def is_enabled() -> bool:
    """Whether "cuda" means the simulated device now."""
    return bool(_depth)


@contextmanager
def simulated_cuda(devices: int = 2) -> Iterator[None]:
    """Make "cuda" a simulated device inside the `with` block.

    >>> import torch
    >>> with simulated_cuda(devices=2):
    ...     layer = torch.nn.Linear(3, 4).cuda()
    ...     layer.weight.device, layer(torch.ones(1, 3, device="cuda")).device
    (device(type='cuda', index=0), device(type='cuda', index=0))
    >>> layer.weight.device, torch.cuda.is_available()
    (device(type='cuda', index=0), False)
    """
    enable(devices)
    try:
        yield
    finally:
        disable()


class _Callable(ModuleType):
    """So that `from grader import simulated_cuda` gives something to call as well."""

    def __call__(self, devices: int = 2) -> Any:
        return simulated_cuda(devices)


sys.modules[__name__].__class__ = _Callable
