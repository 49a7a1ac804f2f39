"""Run PyTorch's operator list on drawn devices, views, threads, forks and mistakes: like the CPU?

    python tests/simulated_cuda/fuzz_values.py [--seed N] [--seconds N | --calls N]

prints a JSON line for each call whose process died or whose result is not plain CPU's, and one
with the counts. `--first N --calls 1` repeats one call.
"""

from __future__ import annotations

import argparse
import contextlib
import faulthandler
import itertools
import json
import mmap
import os
import random
import sys
import time
import warnings
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch.utils import _pytree as pytree

sys.path.insert(0, str(Path(__file__).parents[2]))
sys.path.insert(0, str(Path(__file__).parent))

from differences import CUDA_ONLY, EXCEPTIONS
from operators import (
    EXACT,
    ON_CPU,
    TOLERANCE,
    call,
    compare,
    full_name,
    gradients,
    is_tensor,
    leaves,
    op_db,
)

from grader.simulated_cuda import adopt_fork, simulated_cuda

IN_ONE_CHILD, SAMPLES, SECONDS = 40, 6, 120
DEVICES = ("cuda:0", "cuda:1")
# Their results are whatever memory holds, or views of it.
UNDEFINED = ("empty", "new_empty", "resize")
# Composed of views on CUDA, and a kernel of its own on the CPU: other strides.
COMPOSED = {"nn.functional.pixel_unshuffle"}
# `call` seeds PyTorch's generators, which all threads share.
RANDOM = ("bernoulli", "dropout", "multinomial", "normal", "rand", "exponential", "geometric")
RANDOM += ("cauchy", "uniform", "rrelu", "attention", "fractional_max_pool", "lowrank")
OPERATORS = [op for op in op_db if full_name(op) not in EXCEPTIONS | CUDA_ONLY]


@dataclass
class Placed:
    """A sample as `operators.call` takes it, with every tensor laid out as it was drawn."""

    input: Any
    args: Any
    kwargs: Any
    output_process_fn_grad: Any


@dataclass
class Case:
    """One call: an operator, its arguments, where it runs, and what is current then."""

    op: Any
    dtype: torch.dtype
    sample: Placed
    device: str
    current: int
    in_thread: bool
    has_mistake: bool

    def differences(self) -> list[str]:
        """How the call on the device differs from the same call on the CPU."""
        here, here_given = call(self.op, self.sample, "cpu")
        with torch.cuda.device(self.current):
            if self.has_mistake:
                self.mistaken()
            there, there_given = call(self.op, self.sample, self.device)
            found = self.compared(here, there, "forward")
            if not found and not isinstance(here, Exception) and torch.is_grad_enabled():
                mine = gradients(self.sample, here, here_given)
                found = self.compared(mine, gradients(self.sample, there, there_given), "backward")
        return found

    def mistaken(self) -> None:
        """The call with one argument elsewhere: it may raise, and must leave nothing behind."""
        tensors = leaves((self.sample.input, self.sample.args, self.sample.kwargs))
        wrong = tensors[len(tensors) // 2] if tensors else None
        elsewhere = DEVICES[self.device == DEVICES[0]]
        moved = pytree.tree_map(
            lambda value: (
                value.detach().to(elsewhere if value is wrong else self.device)
                if is_tensor(value)
                else value
            ),
            (self.sample.input, self.sample.args, self.sample.kwargs),
        )
        with contextlib.suppress(Exception):
            self.op(moved[0], *moved[1], **moved[2])

    def compared(self, here: Any, there: Any, what: str) -> list[str]:
        undefined = self.op.name.startswith(UNDEFINED) or (
            self.in_thread and any(word in self.op.name for word in RANDOM)
        )
        found = compare(here, there, what := "empty" if undefined else what)
        # The comparison expects the first device. Dtypes are held to recordings.
        known = [f"{what}: result on {self.device}", f"{what}: torch."]
        known += [f"{what}: strides"] * (self.op.name in COMPOSED)
        return [each for each in found if not each.startswith(tuple(known))]


def laid_out(tensor: torch.Tensor, draw: random.Random) -> torch.Tensor:
    """The same values in another layout: transposed, stepped, at an offset, or as they are."""
    kind = draw.choice(("plain", "plain", "transposed", "stepped", "offset"))
    strided = tensor.layout == torch.strided and not tensor.is_quantized and tensor.dim()
    if kind == "plain" or not strided:
        return tensor
    plain = tensor.detach()
    if kind == "transposed":
        made = plain.transpose(0, -1).contiguous().transpose(0, -1)
    elif kind == "stepped":
        made = plain.repeat_interleave(2, -1)[..., ::2]
    else:
        made = torch.cat([plain[..., :1], plain], -1)[..., 1:]
    return made.requires_grad_(tensor.requires_grad)


def case(number: int, seed: int) -> Case | None:
    """Draw a call; None where the drawn operator has no sample."""
    draw = random.Random(f"{seed} {number}")
    op = draw.choice(OPERATORS)
    known = sorted(op.supported_dtypes("cpu") & op.dtypesIfCUDA, key=str)
    if not known:
        return None
    dtype = torch.float32 if torch.float32 in known and draw.random() < 0.5 else draw.choice(known)
    tracked = op.supports_autograd and dtype.is_floating_point and draw.random() < 0.5
    torch.manual_seed(number)
    drawn = itertools.islice(op.sample_inputs_func(op, "cpu", dtype, tracked), SAMPLES)
    samples = list(drawn)
    if not samples:
        return None
    sample = draw.choice(samples)
    given = (sample.input, sample.args, sample.kwargs)
    if op.name not in ON_CPU:
        given = pytree.tree_map(lambda x: laid_out(x, draw) if is_tensor(x) else x, given)
    placed = Placed(*given, sample.output_process_fn_grad)
    threads, mistake = draw.random() < 0.3, draw.random() < 0.3
    return Case(op, dtype, placed, draw.choice(DEVICES), draw.randrange(2), threads, mistake)


def outcome(number: int, seed: int) -> dict[str, Any]:
    """Make one call: what differs, if anything does."""
    drawn = case(number, seed)
    if drawn is None:
        return {"number": number, "found": []}
    # Some operators of several kernels round half precision once more on one device.
    halves = drawn.dtype in (torch.float16, torch.bfloat16, torch.complex32)
    TOLERANCE.update({"rtol": 2e-2, "atol": 1e-1} if halves else EXACT)
    if drawn.in_thread:
        with ThreadPoolExecutor(3) as threads:
            found = sum(threads.map(lambda _: drawn.differences(), range(3)), list[str]())
    else:
        found = drawn.differences()
    where = {"op": full_name(drawn.op), "device": drawn.device, "thread": drawn.in_thread}
    return {"number": number, **where, "found": found[:3]}


def outcomes(numbers: range, seed: int) -> Iterator[dict[str, Any]]:
    """Make calls in forked children; one that dies is told, and the calls after it go on."""
    first = numbers.start
    while first < numbers.stop:
        current = mmap.mmap(-1, 8)
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reading)
            _in_child(range(first, numbers.stop), seed, current, writing)
        os.close(writing)
        with os.fdopen(reading) as lines:
            yield from map(json.loads, lines)
        status = os.waitpid(child, 0)[1]
        last = int.from_bytes(current[:8], "little")
        if status:
            yield {"number": last, "found": [f"died with status {status}"]}
        first = last + 1 if status else numbers.stop


def _in_child(numbers: range, seed: int, current: mmap.mmap, writing: int) -> None:
    status = 1
    try:
        adopt_fork()
        with os.fdopen(writing, "w") as lines:
            for number in numbers:
                current[:8] = number.to_bytes(8, "little")
                faulthandler.dump_traceback_later(SECONDS, exit=True)
                try:
                    made = outcome(number, seed)
                except Exception as error:
                    made = {"number": number, "found": [f"{type(error).__name__}: {error!s:.300}"]}
                lines.write(json.dumps(made) + "\n")
                lines.flush()
        status = 0
    finally:
        faulthandler.cancel_dump_traceback_later()
        os._exit(status)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--calls", type=int, default=10**9)
    parser.add_argument("--seconds", type=float, default=float("inf"))
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    ends, stop = time.monotonic() + options.seconds, options.first + options.calls
    made, names = 0, set[str]()
    with simulated_cuda(devices=2):
        torch.ones(1, device="cuda")
        first = options.first
        while first < stop and time.monotonic() < ends:
            numbers = range(first, min(first + IN_ONE_CHILD, stop))
            for each in outcomes(numbers, options.seed):
                made += "op" in each
                names.add(each.get("op", ""))
                if each["found"]:
                    print(json.dumps(each), flush=True)
            first = numbers.stop
    print(json.dumps({"calls": made, "operators": len(names - {""})}))


if __name__ == "__main__":
    main()
