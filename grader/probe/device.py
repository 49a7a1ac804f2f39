"""The device a module is judged on: real CUDA if there is one, else the simulated one."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

import torch

from grader.errors import GraderError
from grader.simulated_cuda import disable, enable, is_enabled

DeviceChoice = Literal["auto", "cuda", "simulated"]
SIMULATED_DEVICES = 2


class NoCudaDeviceError(GraderError, RuntimeError):
    """Real CUDA was asked for, and there is none."""


@contextmanager
def cuda_device(choice: DeviceChoice) -> Iterator[str]:
    """Make the device `"cuda"` usable within the block; yields the label that reports show.

    On the simulated device there are `SIMULATED_DEVICES`, and on exit it is disabled again. On a
    real one, convolutions do not use TF32.

    Raises:
        NoCudaDeviceError: `choice` is `cuda` and PyTorch finds no CUDA device.
    """
    may_be_real = choice != "simulated" and not is_enabled()
    has_cuda = may_be_real and torch.cuda.is_available()
    if choice == "cuda" and not has_cuda:
        raise NoCudaDeviceError(why_no_cuda())
    if has_cuda:
        with _exact_convolutions():
            yield f"cuda:0 ({torch.cuda.get_device_name(0)})"
        return
    with simulated_gpus(SIMULATED_DEVICES):
        yield "cuda:0 (simulated)"


@contextmanager
def simulated_gpus(count: int) -> Iterator[None]:
    """As many simulated GPUs within the block; `hide_gpus` hides none of these."""
    is_started = is_enabled() and torch.cuda.is_initialized()  # type: ignore[no-untyped-call]
    enable(count, follow_environment=False)
    try:
        yield
    finally:
        disable()
        if is_started:  # it is not where there was none, and would queue each seed with its frames
            torch.cuda.init()  # type: ignore[no-untyped-call]


def is_simulated(label: str) -> bool:
    """Whether a device's label, as every report carries it, names the simulated one."""
    return "simulated" in label


def same_device(label: str) -> DeviceChoice:
    """The choice that selects the device of this label again, or fails if it is gone."""
    return "simulated" if is_simulated(label) else "cuda"


def hide_gpus() -> None:
    """Hide GPUs from this process and its children, which will only use the simulated device.

    Autograd's first backward starts a thread for each GPU (`Engine::start_device_threads` in
    torch/csrc/autograd/engine.cpp), and those threads do not survive a fork. Must be called before
    the first call of CUDA.
    """
    os.environ["CUDA_VISIBLE_DEVICES"] = ""


def survived_the_fork(choice: DeviceChoice) -> bool:
    """Whether CUDA and autograd work in this process, which may be a fork.

    CUDA does not if the parent has initialised it; autograd does not if a backward in the parent
    has started device threads. PyTorch notices only in the child, so the child has to try.
    """
    cuda_is_lost = getattr(torch._C, "_cuda_isInBadFork", lambda: False)
    if choice != "simulated" and cuda_is_lost():
        return False
    try:
        torch.ones((), requires_grad=True).backward()  # type: ignore[no-untyped-call]
    except RuntimeError:
        return False
    return True


def why_no_cuda() -> str:
    """Why PyTorch sees no CUDA device, and what to do."""
    if torch.version.cuda is None:
        return (
            f"PyTorch {torch.__version__} is a build without CUDA. Install a CUDA build "
            "(pytorch.org/get-started), or grade with --device simulated."
        )
    return (
        f"PyTorch {torch.__version__} has CUDA {torch.version.cuda} but finds no GPU. "
        "Look at `nvidia-smi`, or grade with --device simulated."
    )


@contextmanager
def _exact_convolutions() -> Iterator[None]:
    """Convolutions in float32: TF32, the default, is wrong in the fourth digit."""
    cudnn = torch.backends.cudnn
    # PyTorch's testing tools forbid to assign `cudnn.allow_tf32`, but not this.
    with cudnn.flags(
        enabled=cudnn.enabled,
        benchmark=cudnn.benchmark,
        deterministic=cudnn.deterministic,
        allow_tf32=False,
    ):
        yield
