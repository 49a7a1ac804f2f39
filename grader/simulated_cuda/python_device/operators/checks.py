"""Checks the devices of an operator's tensors as CUDA does, with CUDA's messages."""

from __future__ import annotations

import re
from collections.abc import Callable
from enum import Enum, auto
from typing import Any

import torch
from torch import Tensor

from .. import backend
from ..devices import CPU, CUDA
from ..tensors.tensor import CudaTensor
from . import rules

Operands = list[tuple[str, Tensor]]  # each with the name of its argument
MKLDNN = " or input should be a MKLDNN tensor and weight is a dense tensor"


class Mixing(Enum):
    """What to do with an operator whose tensors are on more than one device."""

    ALLOWED = auto()
    DECOMPOSE = auto()  # run the composite's steps one by one: the step that CUDA names raises


def device_of(tensor: Tensor) -> torch.device:
    """The tensor's device as CUDA names it, even inside PyTorch's own code (`tensor.inside`)."""
    return CUDA[tensor.index] if isinstance(tensor, CudaTensor) else tensor.device


def check(plan: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Mixing:
    """Whether these tensors may be mixed.

    Raises:
        RuntimeError: they may not; with the message of CUDA's check.
    """
    name = plan.func._schema.name.removeprefix("aten::")
    base = name if name.startswith("__") else name.rstrip("_")
    operands = _operands(plan, args, kwargs, rules.ANYWHERE.get(name, set()))
    if base in OWN:
        OWN[base](plan, args, operands)
    elif base.startswith("_foreach_"):
        _foreach(operands)
    elif base in rules.ELEMENTWISE:
        _iterator(operands, outputs=_outputs(plan), allows_number=True)
    elif base in rules.ITERATED:
        _iterator(operands, outputs=_outputs(plan))
    elif name not in rules.KERNELS and backend.is_composite(plan.func.name()):
        return Mixing.DECOMPOSE
    else:
        _same(plan, name, operands)
    return Mixing.ALLOWED


def _operands(plan: Any, args: Any, kwargs: Any, anywhere: set[str]) -> Operands:
    """Every tensor with its argument's name, outputs first: the order of the generated checks."""
    given = {**dict(zip(plan.names, args, strict=False)), **kwargs}
    outputs = _outputs(plan) & set(kwargs)
    ordered = [n for n in given if n in outputs] + [n for n in given if n not in outputs]
    return [
        (name, tensor)
        for name in ordered
        if name not in anywhere
        for tensor in (given[name] if isinstance(given[name], (list, tuple)) else [given[name]])
        if isinstance(tensor, Tensor)
    ]


def _outputs(plan: Any) -> set[str]:
    return {plan.names[position] for position in plan.written}


def _same(plan: Any, name: str, operands: Operands) -> None:
    """`c10::impl::check_and_update_common_device`, in the wrapper generated for each operator."""
    common = device_of(operands[0][1])
    for argument, tensor in operands:
        if device_of(tensor) != common:
            raise RuntimeError(
                f"Expected all tensors to be on the same device, but got {argument} is on "
                f"{device_of(tensor)}, different from other tensors on {common} "
                f"(when checking argument in method wrapper_CUDA_{_method(plan, name, common)})"
            )


def _method(plan: Any, name: str, common: torch.device) -> str:
    """The rest of the wrapper's name after `wrapper_CUDA_`, as torchgen makes it."""
    return method_of(plan.func._schema, rules.ON_CUDA.get(name, name) if common != CPU else name)


def method_of(schema: torch.FunctionSchema, name: str) -> str:
    """The same of an operator's schema; `name` is without the namespace and the overload."""
    overload = schema.overload_name
    is_structured = name.rstrip("_") in rules.STRUCTURED and overload not in rules.UNSTRUCTURED
    if any(argument.is_out for argument in schema.arguments):
        name += "_out"
    parts = (name, overload) if is_structured else (overload, name)
    return "_".join(parts) if overload or not is_structured else name


def _iterator(operands: Operands, outputs: set[str], allows_number: bool = False) -> None:
    """`TensorIteratorBase::compute_types` (aten/src/ATen/TensorIterator.cpp).

    With `allows_number`, one input may be a 0-dim CPU tensor (`allow_cpu_scalars`).
    """
    common = next((device_of(t) for _, t in operands if device_of(t) != CPU), CPU)
    has_number = False
    for name, tensor in operands:
        is_number = device_of(tensor) == CPU and tensor.dim() == 0 and name not in outputs
        if allows_number and is_number:
            if has_number:
                raise RuntimeError("Trying to pass too many CPU scalars to non-CPU kernel!")
            has_number = True
        elif device_of(tensor) != common:
            raise RuntimeError(
                "Expected all tensors to be on the same device, but found at least two devices, "
                f"{common} and {device_of(tensor)}!"
            )


def _foreach(operands: Operands) -> None:
    """The slow path runs tensor by tensor: the n-th of each list together."""
    lists: dict[str, list[Tensor]] = {}
    for name, tensor in operands:
        lists.setdefault(name, []).append(tensor)
    longest = max(map(len, lists.values()))
    for n in range(longest):
        row = [(name, ts[n]) for name, ts in lists.items() if n < len(ts)]
        if len({device_of(t) for _, t in row}) > 1:
            _iterator(row, outputs={"self"}, allows_number=True)


def _index(plan: Any, args: Any, operands: Operands) -> None:
    device = device_of(args[0])
    for index in args[1]:
        if index is not None and device_of(index) not in (CPU, device):
            raise RuntimeError(
                "indices should be either on cpu or on the same device as the indexed tensor "
                f"({device})"
            )


def _index_put(plan: Any, args: Any, operands: Operands) -> None:
    """Indices may be on any device: CUDA moves them to that of the written tensor."""
    device = device_of(args[0])
    values = [(n, t) for n, t in operands if n == "values" and t.dim() > 0]
    if any(device_of(t) != device for _, t in values):
        if device != CPU and len(args) > 3 and args[3]:  # accumulate: not an iterator's kernel
            found = next(device_of(t) for _, t in values)
            raise RuntimeError(f"expected device {device} but got device {found} for value tensor")
        _iterator([("self", args[0]), *values], outputs={"self"})


def _where(plan: Any, args: Any, operands: Operands) -> None:
    """`where` moves 0-dim CPU tensors first, however many; an iterator checks the rest."""
    rest = [(n, t) for n, t in operands if t.dim() > 0 or device_of(t) != CPU]
    _iterator(rest, outputs=_outputs(plan))


def _masked_fill(plan: Any, args: Any, operands: Operands) -> None:
    self, mask = device_of(args[0]), device_of(args[1])
    if self != mask:
        raise RuntimeError(
            "expected self and mask to be on the same device, but got mask on "
            f"{mask} and self on {self}"
        )
    if self == CPU:
        raise RuntimeError("masked_fill_: Expected inputs to be on same device")


def _convolution(plan: Any, args: Any, operands: Operands) -> None:
    """`check_input_same_type_as_parameters` compares types: a device and a dtype in one."""
    given = args[0].type()
    for name, tensor in operands[1:]:
        if tensor.type() != given:
            raise RuntimeError(
                f"Input type ({given}) and {name} type ({tensor.type()}) should be the same"
                f"{_or_mkldnn(args)}"
            )


def _or_mkldnn(args: Any) -> str:
    """The end of the message where the CPU would have run MKL-DNN's convolution."""
    if device_of(args[0]) != CPU:
        return ""
    hosts = [getattr(a, "host", a) for a in args]
    if "Mkldnn" not in str(torch._C._select_conv_backend(*hosts)):
        return ""
    return MKLDNN


def reword(error: RuntimeError) -> None:
    """Turn the CPU's message about the hosts into CUDA's: `torch.cuda.FloatTensor`, no MKL-DNN."""
    text = re.sub(r"\btorch\.(\w+Tensor)\b", r"torch.cuda.\1", str(error))
    error.args = (text.replace(MKLDNN, ""),)


OWN: dict[str, Callable[[Any, Any, Operands], None]] = {
    "index": _index,
    "_unsafe_index": _index,
    "_index_put_impl": _index_put,
    "_unsafe_index_put": _index_put,
    "where": _where,
    "masked_fill": _masked_fill,
    "convolution": _convolution,
}
