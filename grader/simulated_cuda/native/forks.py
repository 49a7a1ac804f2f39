"""A forked child: CUDA is lost in it, as on a GPU, unless it adopts the device."""

from __future__ import annotations

import os

import torch

from .library import functions

# Not empty in a process that asked CUDA for anything, if only `torch.cuda.is_available()`.
ASKED: list[bool] = []
# Not empty in a child of such a process: CUDA is lost in it.
LOST: list[bool] = []


def _after_fork() -> None:
    if ASKED:
        LOST.append(True)
        torch.ops.simulated_cuda.require_init()


os.register_at_fork(after_in_child=_after_fork)


def poison() -> None:
    """Note that CUDA was asked: `poison_fork` of torch/csrc/cuda/Module.cpp."""
    if not ASKED:
        ASKED.append(True)


def adopt_fork() -> None:
    """Let this forked child use the device, which nothing hinders: there is no driver to lose.

    At its first use PyTorch renews the engine of autograd in a forked child, and not safely: of two
    threads that come first, both do. So it is used here, where there is one thread.
    """
    LOST.clear()
    functions.settle_engine()


def is_bad() -> bool:
    """Whether this is a forked child that may not use CUDA."""
    return bool(LOST)
