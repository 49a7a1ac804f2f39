"""Which dtypes the kernels of single ATen operators take and refuse.

The calls are those of `dtypes`, and the backward of each whose results have gradients. A
`TorchDispatchMode` sees which ATen operators they lead to. For each operator and each combination
of the dtypes of its tensors (of a list of tensors the first) the values are `ok` and the types and
texts of exceptions, with how often each was seen. Some kernels return before they look at the dtype
where a tensor is empty or the first has no dimensions, so these calls are apart:

    aten::add.Tensor/float16 float32
    aten::add.Tensor/float16 float32/trivial
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch.utils import _pytree as pytree
from torch.utils._python_dispatch import TorchDispatchMode

from . import dtypes
from .isolation import Task
from .mixing import is_tensor
from .outcomes import message


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
    for key, call in dtypes.calls(shard):
        yield key, lambda call=call: _seen(call)


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
