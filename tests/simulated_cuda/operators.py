"""Run PyTorch's own lists of operators and modules on the simulated device and on the CPU.

    python tests/simulated_cuda/operators.py [--samples N] [--shard I/N] [NAME ...]

prints one JSON line for each: its name and what went wrong, if anything did. Each shard is a
process of its own, because a fault inside PyTorch's C++ backward can abort a process.
"""

from __future__ import annotations

import argparse
import contextlib
import copy
import json
import sys
import types
import unittest
import warnings
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import torch
from torch.utils import _pytree as pytree
from torch.utils._device import _device_constructors

sys.path.insert(0, str(Path(__file__).parents[2]))

from grader.simulated_cuda import simulated_cuda

SEED = 20
EXACT = {"rtol": 1e-4, "atol": 1e-5}
TOLERANCE = dict(EXACT)
# The CPU has fused kernels for these, which round otherwise.
LOOSE = {"nn.functional.scaled_dot_product_attention"}
# CUDA wants these operators' other arguments on the CPU.
ON_CPU = {"tensor_split"}

# PyTorch's test lists import this for a base class that nothing here uses.
sys.modules.setdefault("expecttest", types.SimpleNamespace(TestCase=unittest.TestCase))  # type: ignore[arg-type]

from torch.testing._internal.common_methods_invocations import op_db  # noqa: E402
from torch.testing._internal.common_modules import module_db  # noqa: E402


def seed() -> None:
    """`torch.manual_seed`, of these devices only: any other would keep the stack of the call."""
    torch.default_generator.manual_seed(SEED)
    torch.cuda.manual_seed_all(SEED)


def is_tensor(value: Any) -> bool:
    return isinstance(value, torch.Tensor)


def copy_to(value: Any, device: str) -> Any:
    """The same arguments on another device, every tensor a leaf of its own."""

    def one(tensor: Any) -> Any:
        if not is_tensor(tensor):
            named = isinstance(tensor, torch.device) or tensor in ("cpu", "cuda", "cuda:0")
            return torch.device(device) if named else tensor
        plain = tensor.detach()
        if tensor.layout == torch.strided and not _overlaps(tensor):
            moved = torch.empty_strided(
                tensor.shape, tensor.stride(), dtype=tensor.dtype, device=device
            ).copy_(plain)
        else:
            moved = plain.to(device, copy=True)
        return moved.requires_grad_(tensor.requires_grad)

    return pytree.tree_map(one, value)


def _overlaps(tensor: torch.Tensor) -> bool:
    return 0 in tensor.stride() and tensor.numel() > 0


def leaves(value: Any) -> list[torch.Tensor]:
    return [t for t in pytree.tree_leaves(value) if is_tensor(t)]


def differences(here: Any, there: Any, what: str, device: str = "cuda:0") -> list[str]:
    """How a result on the simulated device differs from the CPU's."""
    mine, theirs = pytree.tree_leaves(there), pytree.tree_leaves(here)
    if len(mine) != len(theirs):
        return [f"{what}: {len(mine)} results, not {len(theirs)}"]
    return [
        difference
        for a, b in zip(theirs, mine, strict=True)
        for difference in _one(a, b, what, device)
    ]


def _one(a: Any, b: Any, what: str, device: str) -> list[str]:
    if not is_tensor(a):
        same = a == b or a != a or isinstance(a, torch.device)
        return [] if same else [f"{what}: {b!r}, not {a!r}"]
    if (a.dtype, a.shape, a.layout) != (b.dtype, b.shape, b.layout):
        return [f"{what}: {b.dtype} {b.shape} {b.layout}, not {a.dtype} {a.shape} {a.layout}"]
    found = []
    if str(b.device) != device:
        found.append(f"{what}: result on {b.device}")
    if what == "forward" and a.layout == torch.strided and a.stride() != b.stride():
        found.append(f"{what}: strides {b.stride()}, not {a.stride()}")
    if device == "cuda:0" and a.requires_grad != b.requires_grad:
        found.append(f"{what}: requires_grad {b.requires_grad}")
    return found if what == "empty" else found + _values(a, b, what)


def _values(a: Any, b: Any, what: str) -> list[str]:
    if a.is_floating_point() and a.dtype.itemsize == 1:  # has no tolerance
        a, b = a.float(), b.float()
    try:
        torch.testing.assert_close(b.detach().cpu(), a.detach(), equal_nan=True, **TOLERANCE)
    except AssertionError as error:
        return [f"{what}: {str(error).splitlines()[0]}"]
    return []


def call(function: Any, sample: Any, device: str, **extra: Any) -> tuple[Any, Any]:
    """The result or the exception, and the arguments it was called with."""
    rest = (sample.args, sample.kwargs)
    given = (
        copy_to(sample.input, device),
        *(rest if getattr(function, "name", "") in ON_CPU else copy_to(rest, device)),
    )
    seed()
    first, args, kwargs = given
    if getattr(function, "op", None) in _device_constructors() or not leaves(given):
        extra.setdefault("device", device)
    try:
        return function(first, *args, **kwargs, **extra), given
    except (RuntimeError, TypeError, ValueError, IndexError, NotImplementedError) as error:
        return error, given


def gradients(sample: Any, result: Any, given: Any) -> Any:
    outs = [t for t in leaves(sample.output_process_fn_grad(result)) if t.requires_grad]
    ins = [t for t in leaves(given) if t.requires_grad]
    if not outs or not ins:
        return None
    seed()
    try:
        return torch.autograd.grad(outs, ins, [torch.ones_like(o) for o in outs], allow_unused=True)
    except RuntimeError as error:
        return error


def compare(here: Any, there: Any, what: str) -> list[str]:
    if isinstance(here, Exception) or isinstance(there, Exception):
        if isinstance(here, Exception) and isinstance(there, Exception):
            return []
        return [f"{what}: {there!r:.200}, on the CPU {here!r:.100}"]
    return differences(here, there, what)


def check_sample(op: Any, sample: Any) -> list[str]:
    TOLERANCE.update(rtol=1e-2, atol=1e-3) if op.name in LOOSE else TOLERANCE.update(EXACT)
    here, here_given = call(op, sample, "cpu")
    there, there_given = call(op, sample, "cuda")
    found = compare(here, there, "empty" if "empty" in op.name else "forward")
    if found or isinstance(here, Exception):
        return found
    found += compare(
        gradients(sample, here, here_given), gradients(sample, there, there_given), "backward"
    )
    with torch.no_grad():
        if op.inplace_variant and is_tensor(sample.input):
            a, b = (call(op.inplace_variant, sample, d)[0] for d in ("cpu", "cuda"))
            found += compare(a, b, "in-place")
        if op.supports_out and leaves(here):
            found += _check_out(op, sample, here)
    return found


def _check_out(op: Any, sample: Any, here: Any) -> list[str]:
    def run(device: str) -> Any:
        outs = [torch.empty_like(t, requires_grad=False).to(device) for t in leaves(here)]
        out = outs[0] if is_tensor(here) else tuple(outs)
        result = call(op, sample, device, out=out)[0]
        return result if isinstance(result, Exception) else (result, outs)

    plain = run("cpu")
    if not isinstance(plain, Exception) and differences(here, plain[0], "out=", device="cpu"):
        return []  # PyTorch's own out= is wrong on the CPU here
    return compare(plain, run("cuda"), "out=")


def check_operator(op: Any, most: int | None) -> list[str]:
    found: list[str] = []
    known = op.supported_dtypes("cpu") & op.dtypesIfCUDA  # what CUDA refuses is tried elsewhere
    integer = next((d for d in (torch.int64, torch.int32) if d in known), None)
    for dtype in (torch.float32, integer):
        if dtype is None or dtype not in op.supported_dtypes("cpu"):
            continue
        grad = dtype.is_floating_point and op.supports_autograd
        seed()
        # `op.sample_inputs` gives the same, and looks through the stack to say who asked.
        for count, sample in enumerate(op.sample_inputs_func(op, "cpu", dtype, grad)):
            if most is not None and count >= most:
                break
            found += [f"{str(dtype)[6:]} #{count} {d}" for d in check_sample(op, sample)]
            if len(found) > 8:
                return found
    return found


class _ModuleSample:
    """An output is compared as it is."""

    @staticmethod
    def output_process_fn_grad(result: Any) -> Any:
        return result


def _run_module(module: Any, given: Any, device: str) -> tuple[Any, Any]:
    args, kwargs = copy_to(given, device)
    seed()
    try:
        out = module(*args, **kwargs)
    except RuntimeError as error:
        return error, None
    return out, gradients(_ModuleSample, out, [args, kwargs, list(module.parameters())])


def check_module(info: Any) -> list[str]:
    """Its values, gradients and state."""
    found: list[str] = []
    samples = info.module_inputs_func(
        info, device="cpu", dtype=torch.float32, requires_grad=True, training=True
    )
    for count, sample in enumerate(samples):
        arguments = sample.constructor_input
        seed()
        here = info.module_cls(*arguments.args, **arguments.kwargs)
        if sample.forward_input is None:
            continue
        there = copy.deepcopy(here).cuda()
        given = (sample.forward_input.args, sample.forward_input.kwargs)
        a, b = _run_module(here, given, "cpu"), _run_module(there, given, "cuda")
        found += [f"#{count} {d}" for x, y in zip(a, b, strict=True) for d in compare(x, y, "")]
        states = (dict(here.state_dict()), dict(there.state_dict()))
        found += [f"#{count} {d}" for d in differences(*states, "state")]
    return found


def full_name(op: Any) -> str:
    return op.name + (f".{op.variant_test_name}" if op.variant_test_name else "")


def part_of(everything: Sequence[Any], shard: str) -> Sequence[Any]:
    """Every N-th, from the I-th on, for a shard named "I/N"."""
    part, parts = map(int, shard.split("/"))
    return everything[part::parts]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*")
    parser.add_argument("--samples", type=int)
    parser.add_argument("--shard", default="0/1")
    parser.add_argument("--skip", default="")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    skip = set(options.skip.split(",")) if options.skip else set()
    with simulated_cuda(devices=2):
        checks = [
            (full_name(op), partial(check_operator, op, options.samples))
            for op in part_of(op_db, options.shard)
        ]
        checks += [(i.name, partial(check_module, i)) for i in part_of(module_db, options.shard)]
        for name, check in checks:
            if name in skip or (options.names and name not in options.names):
                continue
            print(json.dumps({"starting": name}), flush=True)
            with contextlib.redirect_stdout(sys.stderr):
                try:
                    found = check()
                except Exception as error:
                    found = [f"{type(error).__name__}: {error!s:.300}"]
            print(json.dumps({"name": name, "found": found}), flush=True)


if __name__ == "__main__":
    main()
