"""Make a recording on whatever CUDA is here: a GPU, PyTorch's CUDA build without one, or ours."""

from __future__ import annotations

import contextlib
import datetime
import os
import resource
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch

from . import dtypes, isolation, kernels, mixing, situations
from .isolation import Task

# Added to what a child has mapped. Without it a size read from garbage takes the machine's memory.
ADDRESS_SPACE = 6 << 30
NO_GPU = "PyTorch's CUDA build on a machine without a GPU: kernels did not run"


# What is recorded by PyTorch's lists of operators and modules.
LISTED = {"mixing": mixing, "dtypes": dtypes}


def listed(part: str, simulated: bool, shard: str = "0/1") -> dict[str, str]:
    """Every entry of `mixing` or `dtypes`, or those of a shard "I/N"."""
    return _run(LISTED[part], simulated, shard)


def kernels_seen(simulated: bool) -> kernels.Outcomes:
    """Which dtypes the kernels of single operators took and refused."""
    return kernels.merged(_run(kernels, simulated, "0/1"))


def _run(part: Any, simulated: bool, shard: str) -> dict[str, Any]:
    def tasks() -> Iterator[Task]:
        quiet()
        mixing.lists()
        with device(simulated):
            if not simulated and "no gpu" in torch.cuda.get_device_name(0).lower():
                _limit_memory()
            yield from part.tasks(shard)

    return isolation.run(tasks)


def situated(simulated: bool, *names: str) -> dict[str, Any]:
    """The facts of every situation, or of those named; each runs in a process of its own."""
    if simulated:
        import_once()
    results: dict[str, Any] = {}
    for name in names or situations.names():

        def tasks(name: str = name) -> Iterator[Task]:
            quiet()
            if situations.needs_caching(name):
                os.environ.pop("PYTORCH_NO_CUDA_MEMORY_CACHING", None)
            with device(simulated):
                yield name, lambda: situations.facts(name)

        results |= isolation.run(tasks)
    return results


def about(simulated: bool) -> dict[str, str]:
    """What is recorded here: device, build of PyTorch, date."""

    def tasks() -> Iterator[Task]:
        with device(simulated):
            yield "device", lambda: torch.cuda.get_device_name(0)

    name = isolation.run(tasks)["device"]
    without = "no gpu" in name.lower() or simulated
    return {
        "device": (NO_GPU if not simulated else name) if without else name,
        "torch": torch.__version__,
        "date": datetime.date.today().isoformat(),
    }


@contextlib.contextmanager
def device(simulated: bool) -> Iterator[None]:
    """The simulated device, or the CUDA device of this machine, which nothing has used yet."""
    if simulated:
        from grader.simulated_cuda import simulated_cuda

        with simulated_cuda(devices=2):
            yield
    else:
        yield


def quiet() -> None:
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)


def import_once() -> None:
    """Import in the parent what each child would import again. No device is switched on."""
    import torch._dynamo  # the first step of any torch.optim optimizer does

    from grader.simulated_cuda import choice

    choice.load()
    if choice.implementation() == "python":
        with contextlib.suppress(ImportError):
            import torch.distributed.tensor  # noqa: F401 PyTorch does at the first wrapped tensor


def _limit_memory() -> None:
    for n in range(torch.cuda.device_count()):
        torch.ones(1).pin_memory().to(f"cuda:{n}")  # maps what is mapped once
    size = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (size + ADDRESS_SPACE,) * 2)
