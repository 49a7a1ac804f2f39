"""What is said when the tensors of one call are on different devices.

For every operator of PyTorch's list (op_db) up to four samples whose arguments differ in kind or
dimensions, and for every module of its other list (module_db) up to six inputs:

    op/NAME/SAMPLE/control               everything on cuda:0
    op/NAME/SAMPLE/N on cpu              all on cuda:0, the n-th tensor on the CPU
    op/NAME/SAMPLE/N on cuda             all on the CPU, the n-th tensor on cuda:0
    op/NAME/SAMPLE/N on cuda:1           all on cuda:0, the n-th tensor on cuda:1
    op/NAME/SAMPLE/N a number on cpu     the n-th tensor is one number: on the CPU, on cuda with the
                                         others on the CPU, or on cuda:1
    op/NAME/0/inplace, N on cpu          the in-place variant
    op/NAME/0/out on cpu                 all on cuda:0, out= on the CPU
    module/NAME/SAMPLE/module on cuda, input on cpu     and so on

The value is `ok (devices of the results)` or the exception's type and text. If the control raises,
the others say nothing about devices.
"""

from __future__ import annotations

import contextlib
import re
import sys
import types
import unittest
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch.utils import _pytree as pytree

from .isolation import Task
from .outcomes import devices

SAMPLES, MODULE_INPUTS, LOOKED_AT = 4, 6, 200
# They compile CUDA code, or give no values: there is nothing to mix.
SKIP = re.compile(r"^(jiterator|_segment_reduce|empty|randint_like$)")
GPU, OTHER, CPU = "cuda:0", "cuda:1", "cpu"


def lists() -> tuple[list[Any], list[Any]]:
    """PyTorch's lists of operators and of modules. The import asks whether there is CUDA."""
    # PyTorch's lists import this for a base class that nothing here uses.
    sys.modules.setdefault("expecttest", types.SimpleNamespace(TestCase=unittest.TestCase))  # type: ignore[arg-type]
    from torch.testing._internal.common_methods_invocations import op_db
    from torch.testing._internal.common_modules import module_db

    return op_db, module_db


def tasks(shard: str = "0/1") -> Iterator[Task]:
    """Every entry to record, or those of shard "I/N"; operators and modules are shared out."""
    part, parts = map(int, shard.split("/"))
    op_db, module_db = lists()
    for op in op_db[part::parts]:
        yield from operator(op)
    for info in module_db[part::parts]:
        yield from module(info)


def is_tensor(value: Any) -> bool:
    return isinstance(value, torch.Tensor)


def shown(dtype: torch.dtype) -> str:
    """Its name, such as "float32"."""
    return str(dtype).removeprefix("torch.")


def form(leaves: list[Any]) -> tuple[Any, ...]:
    """What tells samples apart: kinds of arguments, and dimensions and dtypes of tensors."""
    return tuple(
        (x.dim(), x.dtype, x.numel() == 0) if is_tensor(x) else type(x).__name__ for x in leaves
    )


def own_dtype(op: Any) -> torch.dtype | None:
    """The dtype in which an operator's samples are made: the same in every process."""
    usual = (torch.float32, torch.int64, torch.complex64)
    others = sorted(op.supported_dtypes(CPU), key=str)  # a set, in an order of its own
    return next((dtype for dtype in (*usual, *others) if dtype in others), None)


def samples(op: Any) -> list[Any]:
    """Up to SAMPLES without empty tensors, no two of one form, those with most tensors first."""
    torch.manual_seed(0)
    dtype = own_dtype(op)
    found: dict[tuple[Any, ...], Any] = {}
    with contextlib.suppress(Exception):  # a list that needs what is not installed
        for number, sample in enumerate(op.sample_inputs(CPU, dtype)):
            given = (sample.input, sample.args, sample.kwargs)
            leaves = pytree.tree_leaves(given)
            tensors = [x for x in leaves if is_tensor(x)]
            if len(tensors) > 1 and all(x.numel() for x in tensors):
                found.setdefault(form(leaves), given)
            if number > LOOKED_AT:
                break
    return sorted(found.values(), key=_shaped, reverse=True)[:SAMPLES]


def _shaped(given: Any) -> int:
    """How many tensors have dimensions: a number may be on the CPU."""
    return sum(is_tensor(x) and x.dim() > 0 for x in pytree.tree_leaves(given))


class Arguments:
    """Arguments whose tensors can be placed on devices, all but one on the same."""

    def __init__(self, given: Any) -> None:
        self.leaves, self.shape = pytree.tree_flatten(given)
        self.tensors = [n for n, x in enumerate(self.leaves) if is_tensor(x)]

    def on(
        self, device: str, left: int | None = None, away: str = "", is_number: bool = False
    ) -> Any:
        """All on `device`, but for tensor number `left`: it, or its first number, is away."""
        at = None if left is None else self.tensors[left]
        moved = [x.detach().to(device) if is_tensor(x) else x for x in self.leaves]
        if at is not None:
            left_tensor = self.leaves[at].detach()
            moved[at] = (left_tensor.flatten()[0] if is_number else left_tensor).to(away)
        return pytree.tree_unflatten(moved, self.shape)


def operator(op: Any) -> Iterator[Task]:
    name = op.name + (f".{op.variant_test_name}" if op.variant_test_name else "")
    for number, given in enumerate([] if SKIP.match(name) else samples(op)):
        key, arguments = f"op/{name}/{number}", Arguments(given)

        def call(
            function: Any, *placed: Any, arguments: Arguments = arguments, **out: Any
        ) -> Callable[[], str]:
            def run() -> str:
                first, args, kwargs = arguments.on(*placed)
                return devices(lambda: function(first, *args, **kwargs, **out))

            return run

        yield f"{key}/control", call(op, GPU)
        for n in range(len(arguments.tensors[:6])):
            yield f"{key}/{n} on cpu", call(op, GPU, n, CPU)
            yield f"{key}/{n} on cuda", call(op, CPU, n, GPU)
            yield f"{key}/{n} on cuda:1", call(op, GPU, n, OTHER)
            if arguments.leaves[arguments.tensors[n]].layout == torch.strided:
                yield f"{key}/{n} a number on cpu", call(op, GPU, n, CPU, True)
                yield f"{key}/{n} a number on cuda", call(op, CPU, n, GPU, True)
                yield f"{key}/{n} a number on cuda:1", call(op, GPU, n, OTHER, True)
            if op.inplace_variant and not number:
                yield f"{key}/inplace, {n} on cpu", call(op.inplace_variant, GPU, n, CPU)
                yield f"{key}/inplace, {n} on cuda", call(op.inplace_variant, CPU, n, GPU)
        if op.supports_out and not number:
            with contextlib.suppress(Exception):
                yield f"{key}/out on cpu", call(op, GPU, out=_out(op, given))


def _out(op: Any, given: Any) -> Any:
    """Tensors on the CPU for the results of an operator."""
    first, args, kwargs = given
    made = op(first, *args, **kwargs)
    out = pytree.tree_map_only(torch.Tensor, lambda x: torch.zeros_like(x.detach()), made)
    return tuple(out) if isinstance(out, tuple | list) else out


def inputs_of(info: Any) -> list[Any]:
    """PyTorch's inputs for a module; none for one that needs what is not installed."""
    torch.manual_seed(0)
    with contextlib.suppress(Exception):
        return list(
            info.module_inputs_func(
                info, device=CPU, dtype=torch.float32, requires_grad=False, training=True
            )
        )
    return []


def module(info: Any) -> Iterator[Task]:
    seen: set[tuple[object, ...]] = set()
    for number, given in enumerate(inputs_of(info)):
        made, passed = given.constructor_input, given.forward_input
        if passed is None:
            continue
        arguments = Arguments((passed.args, passed.kwargs))
        kind = form(arguments.leaves), tuple(sorted(made.kwargs)), len(made.args)
        if kind in seen or len(seen) >= MODULE_INPUTS:
            continue
        seen.add(kind)
        yield from _placed(f"module/{info.name}/{number}", info.module_cls, made, arguments)


def _placed(key: str, cls: Any, made: Any, arguments: Arguments) -> Iterator[Task]:
    def call(device: str, *placed: Any) -> Callable[[], str]:
        def run() -> str:
            torch.manual_seed(0)
            net = cls(*made.args, **made.kwargs).to(device)
            args, kwargs = arguments.on(*placed)
            return devices(lambda: net(*args, **kwargs))

        return run

    yield f"{key}/control", call(GPU, GPU)
    yield f"{key}/module on cuda, input on cpu", call(GPU, CPU)
    yield f"{key}/module on cpu, input on cuda", call(CPU, GPU)
    yield f"{key}/module on cuda:1, input on cuda:0", call(OTHER, GPU)
    for n in range(len(arguments.tensors[:4]) if len(arguments.tensors) > 1 else 0):
        yield f"{key}/{n} on cpu", call(GPU, GPU, n, CPU)
        yield f"{key}/{n} on cuda", call(GPU, CPU, n, GPU)
