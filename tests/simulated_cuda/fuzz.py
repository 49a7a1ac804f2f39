"""Call every operator of the device with arguments drawn from its schema: which calls crash?

    python tests/simulated_cuda/fuzz.py [--calls N] [--seed N] [--shard I/N] [NAME ...]

prints a JSON line for each call that ended its process, though the same call on plain CPU tensors
raises or returns. Calls are made in forked children, of many operators in one: a fork copies this
process's page tables, which takes longer than the calls. If a child dies, its operators are tried
again, each in another child: what one corrupts, no other sees.
"""

from __future__ import annotations

import argparse
import contextlib
import faulthandler
import json
import mmap
import os
import random
import resource
import sys
import warnings
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import torch

sys.path.insert(0, str(Path(__file__).parents[2]))
sys.path.insert(0, str(Path(__file__).parent))

from fuzz_arguments import Arguments, warm_up

from grader.simulated_cuda import adopt_fork, simulated_cuda

IN_ONE_CHILD = 25
KEYS = ("CUDA", "SparseCUDA", "SparseCsrCUDA", "QuantizedCUDA", "NestedTensorCUDA")
SECONDS, MEMORY = 20, 3 * 2**30  # of one call; of address space for one child


def operators() -> list[str]:
    """The full names of all operators that the device has a kernel for, as `aten::add.Tensor`."""
    has = torch._C._dispatch_has_kernel_for_dispatch_key
    names = torch._C._dispatch_get_all_op_names()
    return sorted(n for n in names if n.startswith("aten::") and any(has(n, key) for key in KEYS))


def overload(name: str) -> Any:
    """`torch.ops.aten.add.Tensor`."""
    base, _, variant = name.removeprefix("aten::").partition(".")
    return getattr(getattr(torch.ops.aten, base), variant or "default")


def call(name: str, number: int, seed: int, device: str) -> str:
    """Make call `number` of an operator; the name of the exception, or an empty string."""
    draw = Arguments(random.Random(f"{seed} {name} {number}"), device)
    torch.manual_seed(number)
    try:
        operator = overload(name)
        args, named = draw.of(operator._schema)
        with draw.mode():
            repr(operator(*args, **named))  # reads every value of the results
            repr((args, named))
    except Exception as error:
        return type(error).__name__
    return ""


def survives(
    names: Sequence[str], numbers: Sequence[int], seed: int, device: str
) -> tuple[int, int]:
    """Make calls of operators in a forked child: its exit status, and the number of the last."""
    current = mmap.mmap(-1, 4)
    child = os.fork()
    if child == 0:
        status = 1
        try:
            adopt_fork()
            limit_memory()
            for name, number in product(names, numbers):
                current[:4] = number.to_bytes(4, "little")
                faulthandler.dump_traceback_later(SECONDS, exit=True)
                call(name, number, seed, device)
            status = 0
        finally:
            faulthandler.cancel_dump_traceback_later()
            os._exit(status)
    status = os.waitpid(child, 0)[1]
    return status, int.from_bytes(current[:4], "little")


def limit_memory() -> None:
    """A call that wants too much gets an exception instead of the machine's memory."""
    if "libasan" in os.environ.get("LD_PRELOAD", ""):  # which reserves terabytes
        return
    used = int(Path("/proc/self/statm").read_text().split()[0]) * mmap.PAGESIZE
    resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, used + MEMORY))


def faults(names: Sequence[str], calls: int, seed: int) -> Iterator[dict[str, Any]]:
    """Each call that ends the process on the device, and on the CPU does not."""
    for first in range(0, len(names), IN_ONE_CHILD):
        together = names[first : first + IN_ONE_CHILD]
        if survives(together, range(calls), seed, "cuda")[0]:
            for name in together:
                yield from faults_of(name, calls, seed)


def faults_of(name: str, calls: int, seed: int) -> Iterator[dict[str, Any]]:
    """The same for one operator, which shares its children with no other."""
    first = 0
    while first < calls:
        status, number = survives([name], range(first, calls), seed, "cuda")
        if status == 0:
            return
        alone = [number]
        again = alone if survives([name], alone, seed, "cuda")[0] else [*range(first, number + 1)]
        # Many times: PyTorch's own kernels may write past the end, and malloc notices later.
        if survives([name], again * 20, seed, "cpu")[0] == 0:
            yield {"name": name, "numbers": again, "status": status}
        first = number + 1


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*")
    parser.add_argument("--calls", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--shard", default="0/1")
    parser.add_argument("--show", type=int, help="make this call here, and print its arguments")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    part, parts = map(int, options.shard.split("/"))
    with simulated_cuda(devices=2):
        torch.cuda.init()
        warm_up()  # imports once, before the forks
        names = options.names or operators()[part::parts]
        if options.show is not None:
            show(names[0], options.show, options.seed)
            return
        for fault in faults(names, options.calls, options.seed):
            print(json.dumps(fault), flush=True)
        print(json.dumps({"operators": len(names)}))


def show(name: str, number: int, seed: int) -> None:
    for device in ("cpu", "cuda"):
        draw = Arguments(random.Random(f"{seed} {name} {number}"), device)
        with contextlib.suppress(Exception):
            print(draw.of(overload(name)._schema), flush=True)
        print(device, call(name, number, seed, device), flush=True)


if __name__ == "__main__":
    main()
