"""What is said of the dtypes of one call, with everything on cuda:0.

For every operator of PyTorch's list (op_db) up to two samples, and for every module of its other
list (module_db) its first inputs:

    op/NAME/SAMPLE/control        the sample as PyTorch makes it, in float32 where it can be
    op/NAME/SAMPLE/all DTYPE      every tensor that has the sample's dtype gets another
    op/NAME/SAMPLE/N as DTYPE     only the n-th tensor gets another
    module/NAME/SAMPLE/module in DTYPE, input in DTYPE

The value is `ok (dtypes and devices of the results)` or the exception's type and text.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch
from torch.utils import _pytree as pytree

from .isolation import Task
from .mixing import CPU, GPU, LOOKED_AT, SKIP, form, inputs_of, is_tensor, lists, own_dtype, shown
from .outcomes import message

SAMPLES = 2
# They call what Triton compiles for a GPU that is there.
COMPILED = ("bmm.triton_optimized", "linalg.pinv.singular")
DTYPES = [
    *(torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64),
    *(torch.half, torch.bfloat16, torch.float, torch.double),
    *(torch.complex32, torch.cfloat, torch.cdouble),
]
MIXED = [torch.bool, torch.int64, torch.half, torch.double, torch.cfloat]
OF_MODULES = [torch.half, torch.float, torch.double, torch.int64]


Call = tuple[str, Callable[[], Any]]


def tasks(shard: str = "0/1") -> Iterator[Task]:
    """Every entry to record, or those of shard "I/N"; operators and modules are shared out."""
    for key, call in calls(shard):
        yield key, lambda call=call: outcome(call)  # type: ignore[misc]


def calls(shard: str, others: Sequence[torch.dtype] = DTYPES) -> Iterator[Call]:
    """Each call, under its key, in `others` too; floating-point inputs require gradients."""
    part, parts = map(int, shard.split("/"))
    op_db, module_db = lists()
    for op in op_db[part::parts]:
        yield from operator(op, others)
    for info in module_db[part::parts]:
        yield from module(info)


def outcome(call: Callable[[], Any]) -> str:
    """`ok (dtypes and devices of the results)`, or the exception."""
    try:
        result = call()
    except Exception as error:
        return message(error)
    tensors = [x for x in pytree.tree_leaves(result) if is_tensor(x)]
    return f"ok ({', '.join(f'{str(x.dtype)[6:]} {x.device}' for x in tensors)})"


def samples(op: Any) -> tuple[list[Any], torch.dtype | None]:
    """Up to SAMPLES that differ in form and have tensors, none of them empty; and their dtype."""
    torch.manual_seed(0)
    dtype = own_dtype(op)
    found: dict[tuple[Any, ...], Any] = {}
    with contextlib.suppress(Exception):  # a list that needs what is not installed
        for number, sample in enumerate(
            op.sample_inputs(CPU, dtype, requires_grad=_has_gradients(op, dtype))
        ):
            given = (sample.input, sample.args, sample.kwargs)
            leaves = pytree.tree_leaves(given)
            tensors = [x for x in leaves if is_tensor(x)]
            if tensors and all(x.numel() and x.layout == torch.strided for x in tensors):
                found.setdefault(form(leaves), given)
            if number > LOOKED_AT:
                break
    return list(found.values())[:SAMPLES], dtype


def _has_gradients(op: Any, dtype: torch.dtype | None) -> bool:
    return bool(op.supports_autograd) and dtype is not None and dtype.is_floating_point


def _placed(x: torch.Tensor, dtype: torch.dtype | None) -> torch.Tensor:
    there = x.detach().to(GPU, dtype)
    return there.requires_grad_(
        x.requires_grad and (there.is_floating_point() or there.is_complex())
    )


def operator(op: Any, others: Sequence[torch.dtype] = DTYPES) -> Iterator[Call]:
    name = op.name + (f".{op.variant_test_name}" if op.variant_test_name else "")
    found, own = samples(op) if not SKIP.match(name) and name not in COMPILED else ([], None)
    for number, given in enumerate(found):
        key = f"op/{name}/{number}"
        leaves, shape = pytree.tree_flatten(given)
        tensors = [n for n, x in enumerate(leaves) if is_tensor(x)]

        def call(
            changed: list[int], dtype: Any, leaves: Any = leaves, shape: Any = shape
        ) -> Callable[[], Any]:
            def run() -> Any:
                made = [
                    _placed(x, dtype if n in changed else None) if is_tensor(x) else x
                    for n, x in enumerate(leaves)
                ]
                first, args, kwargs = pytree.tree_unflatten(made, shape)
                return op(first, *args, **kwargs)

            return run

        yield f"{key}/control", call([], None)
        of_own = [n for n in tensors if leaves[n].dtype == own]
        for dtype in others if of_own else ():
            if dtype != own:
                yield f"{key}/all {shown(dtype)}", call(of_own, dtype)
        for place, n in enumerate(tensors[:4] if len(tensors) > 1 else []):
            for dtype in MIXED:
                if leaves[n].dtype != dtype:
                    yield f"{key}/{place} as {shown(dtype)}", call([n], dtype)


def module(info: Any) -> Iterator[Call]:
    given = next((one for one in inputs_of(info) if one.forward_input is not None), None)
    if given is None:
        return
    made, passed = given.constructor_input, given.forward_input

    def call(of_module: torch.dtype, of_input: torch.dtype) -> Callable[[], Any]:
        def run() -> Any:
            torch.manual_seed(0)
            net = info.module_cls(*made.args, **made.kwargs).to(GPU, of_module)
            args, kwargs = pytree.tree_map_only(
                torch.Tensor,
                lambda x: x.detach().to(GPU, of_input if x.is_floating_point() else None),
                (passed.args, passed.kwargs),
            )
            return net(*args, **kwargs)

        return run

    key = f"module/{info.name}/0"
    yield f"{key}/control", call(torch.float, torch.float)
    for of_module in OF_MODULES[:3]:
        for of_input in OF_MODULES:
            way = f"module in {shown(of_module)}, input in {shown(of_input)}"
            yield f"{key}/{way}", call(of_module, of_input)
