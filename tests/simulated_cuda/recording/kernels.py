"""Which dtypes the kernels of single ATen operators take and refuse.

The calls are those of `dtypes`, and the backward of each whose results have gradients. A
`TorchDispatchMode` sees which ATen operators they lead to. For each operator and each combination
of the dtypes of its tensors (of a list of tensors the first) the values are `ok` and the types and
texts of exceptions, with how often each was seen. Some kernels return before they look at the dtype
where a tensor is empty or the first has no dimensions, so these calls are apart. To the calls of
`dtypes` come dtypes that PyTorch's list has for no operator, products of sparse tensors, whose
kernels are others, and functions that make a tensor:

    aten::add.Tensor/float16 float32
    aten::add.Tensor/float16 float32/trivial
    aten::addmm@SparseCUDA/float16 float16 float16
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch.utils import _pytree as pytree
from torch.utils._python_dispatch import TorchDispatchMode

from . import dtypes, mixing
from .isolation import Task
from .mixing import is_tensor
from .outcomes import message

# Those that PyTorch's list has for no operator.
NARROW = [
    *(torch.uint16, torch.uint32, torch.uint64),
    *(torch.float8_e4m3fn, torch.float8_e5m2, torch.float8_e4m3fnuz, torch.float8_e5m2fnuz),
]
DTYPES = [*dtypes.DTYPES, *NARROW]
# Of a sparse matrix and a dense one.
SPARSE: list[Callable[[Any, Any], Any]] = [
    lambda sparse, dense: sparse @ dense,
    lambda sparse, dense: dense @ sparse,
    lambda sparse, dense: sparse @ dense[0],
    lambda sparse, dense: sparse @ sparse,
    lambda sparse, dense: torch.addmm(dense, sparse, dense),
    lambda sparse, dense: torch.addmv(dense[0], sparse, dense[0]),
    lambda sparse, dense: torch.sparse.sampled_addmm(sparse, dense, dense),
    lambda sparse, dense: torch.hspmm(sparse, dense),
    lambda sparse, dense: torch.bmm(sparse[None].coalesce(), dense[None]),
    lambda sparse, dense: sparse + sparse,
    lambda sparse, dense: dense + sparse,
    lambda sparse, dense: sparse * dense,
    lambda sparse, dense: torch.sparse.softmax(sparse, 1),
    lambda sparse, dense: torch.sparse.log_softmax(sparse, 1),
    lambda sparse, dense: torch.sparse.sum(sparse, 0),
    lambda sparse, dense: sparse.to_dense(),
]
# Without a tensor of PyTorch's list, or with other arguments.
CALLS: list[Callable[..., Any]] = [
    *(
        lambda name=name, **how: getattr(torch.zeros(3, **how), name)()
        for name in ("any", "all", "sort", "std", "min", "max", "neg", "unique")
    ),
    lambda **how: torch.zeros(3, **how).clamp(0, 1),
    lambda **how: torch.zeros(3, **how) << 1,
    lambda **how: torch.zeros(3, **how) >> 1,
    lambda **how: torch.zeros(3, **how) & 1,
    lambda **how: torch.zeros(3, **how) | 1,
    lambda **how: torch.zeros(3, **how) ^ 1,
    lambda **how: torch.arange(3, **how),
    lambda **how: torch.arange(0, 3, 1, **how),
    lambda **how: torch.linspace(0, 1, 3, **how),
    lambda **how: torch.eye(3, **how),
    lambda **how: torch.full((3,), 1, **how),
    lambda **how: torch.rand(3, **how),
    lambda **how: torch.randn(3, **how),
    lambda **how: torch.randint(3, (3,), **how),
    lambda **how: torch.randperm(3, **how),
]


class Seen(TorchDispatchMode):
    """What became of each operator that is called while it is on."""

    def __init__(self) -> None:
        super().__init__()
        self.outcomes: list[tuple[str, str]] = []

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        values = [*args, *kwargs.values()]
        firsts = [x[0] if isinstance(x, list | tuple) and x else x for x in values]
        tensors = [x for x in firsts if is_tensor(x)]
        of = " ".join(_dtype_name(x) for x in tensors)
        name = f"{func._schema.name}.{func._schema.overload_name}".removesuffix(".")
        layouts = {x.layout for x in tensors} - {torch.strided}
        if layouts:
            name += "@SparseCUDA" if layouts == {torch.sparse_coo} else "@SparseCsrCUDA"
        key = f"{name}/{of}/trivial" if _is_trivial(tensors) else f"{name}/{of}"
        try:
            result = func(*args, **kwargs)
        except Exception as error:
            self.outcomes.append((key, message(error)))
            raise
        self.outcomes.append((key, "ok"))
        return result


def _is_trivial(tensors: list[torch.Tensor]) -> bool:
    return any(not x.numel() for x in tensors) or (bool(tensors) and not tensors[0].dim())


def _dtype_name(tensor: torch.Tensor) -> str:
    return str(tensor.dtype).removeprefix("torch.")


def tasks(shard: str = "0/1") -> Iterator[Task]:
    for key, call in dtypes.calls(shard, DTYPES):
        yield key, lambda call=call: _seen(call)
    for dtype in DTYPES:
        for n, make in enumerate(CALLS):
            yield (
                f"call/{n}/{dtype}",
                lambda make=make, dtype=dtype: _seen(lambda: make(dtype=dtype, device=mixing.GPU)),
            )
        for layout in (torch.sparse_coo, torch.sparse_csr):
            for n, product in enumerate(SPARSE):
                yield (
                    f"sparse/{n}/{layout}/{dtype}",
                    lambda product=product, made=(layout, dtype): _seen(
                        lambda: product(*_matrices(*made))
                    ),
                )


def _matrices(layout: torch.layout, dtype: torch.dtype) -> tuple[torch.Tensor, torch.Tensor]:
    """A sparse and a dense one; their values are of the CPU, where kernels run."""
    dense = torch.eye(3)
    return dense.to_sparse(layout=layout).to(mixing.GPU, dtype), dense.to(mixing.GPU, dtype)


def _seen(call: Callable[[], Any]) -> list[tuple[str, str]]:
    with Seen() as seen:
        try:
            results = [x for x in pytree.tree_leaves(call()) if is_tensor(x) and x.requires_grad]
            if results:
                torch.autograd.backward(results, [torch.ones_like(x) for x in results])
        except Exception:  # it is among the outcomes, if an operator raised it
            pass
    return seen.outcomes


Outcomes = dict[str, Counter[str]]


def merged(found: dict[str, Any]) -> Outcomes:
    """What became of each operator and each combination of dtypes, over all calls."""
    outcomes: Outcomes = {}
    for one in found.values():
        for key, text in one if isinstance(one, list) else ():
            outcomes.setdefault(key, Counter())[text] += 1
    return outcomes
