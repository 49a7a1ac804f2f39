"""Runs one operator: check the devices of its tensors, run it on their hosts, wrap the results."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from .. import backend, backward
from ..backend import mode_is_on, no_torch_function
from ..tensors.hosts import sync_metadata, take_device, unwrap, wrap_all
from ..tensors.tensor import CudaTensor, wrap
from . import checks, computed, randomness

# The same operators, without parsing the schema at each call.
SHORT_CUTS = {
    torch.ops.aten.detach.default: torch.Tensor.detach,
    torch.ops.aten.t.default: torch.Tensor.t,
    torch.ops.aten.mm.default: torch.mm,
}
NUMBERS = {int, float, bool, type(None)}
# Operators that change the sizes of a tensor in place and lack the tag `inplace_view`.
RESIZING = {"aten::resize_", "aten::resize_as_", "aten::set_", "aten::addbmm_"}


class DispatchPlan:
    """One operator: what its schema says, read once, and how it is run.

    Attributes:
        op: what is called on the hosts.
        written: positions of the arguments that are written to.
        returned: for each result, the position of the argument that it is; None for a new tensor.
        resizes: whether a written argument may get another shape.
        is_random: whether it draws from a generator.
        takes_device: whether it has an argument `device`.
        checks_dtype: convolution compares tensor types (device and dtype), so it is checked even
            when all devices agree.
        is_plain: nothing of the above: the fast way.
    """

    def __init__(self, func: Any) -> None:
        arguments = func._schema.arguments
        self.func = func
        self.op = SHORT_CUTS.get(func, func._op)
        self.names = [a.name for a in arguments]
        self.written = [i for i, a in enumerate(arguments) if _writes(a)]
        self.returned = [_argument_of(r, arguments) for r in func._schema.returns]
        self.resizes = bool(self.written) and (
            torch.Tag.inplace_view in func.tags
            or func._schema.name in RESIZING
            or any(arguments[i].kwarg_only for i in self.written)
        )
        self.is_random = torch.Tag.nondeterministic_seeded in func.tags
        self.takes_device = "device" in self.names
        self.checks_dtype = func is torch.ops.aten.convolution.default
        self.is_plain = not (self.written or self.is_random or self.takes_device)

    def run(self, args: tuple[Any, ...], kwargs: dict[str, Any] | None) -> Any:
        """Run the operator, and return its results as tensors of the operands' device.

        This is called for every operator, so the handling of arguments is inlined for speed:

        1. Unwrap each argument to its CPU tensor, and collect which devices they are on.
        2. If they are on several, or the operator wants equal dtypes: check as CUDA does, which may
           raise, or ask for the composite's inner operators instead.
        3. Run the CPU's kernel; an operator that writes, draws or takes a device with care.
        4. Wrap the results for the device of the operands.
        """
        # Which devices the tensors are on: bit 0 is the CPU, bit n + 1 is cuda:n.
        device_mask = 0
        hosts: list[Any] = []
        for value in args:
            kind = type(value)
            if kind is CudaTensor:
                device_mask |= 2 << value.index
                hosts.append(value.host)
            elif kind in NUMBERS:
                hosts.append(value)
            else:
                host, bits = unwrap(value)
                device_mask |= bits
                hosts.append(host)
        named: dict[str, Any] | None = None
        if kwargs:
            named = {}
            for name, value in kwargs.items():
                named[name], bits = unwrap(value)
                device_mask |= bits
        is_mixed = device_mask & (device_mask - 1)  # more than one bit is set
        if is_mixed or self.checks_dtype:
            mixing = checks.check(self, args, kwargs or {})
            if mixing is checks.Mixing.DECOMPOSE:
                return backend.run_composite(self.func, args, kwargs or {})
        index = device_mask.bit_length() - 2
        try:
            if not self.is_plain:
                return self._run_with_care(args, kwargs or {}, index, hosts, named or {})
            out = self.op(*hosts, **named) if named else self.op(*hosts)
        except RuntimeError as error:
            checks.reword(error)
            raise
        return wrap(out, index) if type(out) is Tensor and index >= 0 else wrap_all(out, index)

    def _run_with_care(
        self, args: Any, kwargs: Any, index: int, hosts: list[Any], named: dict[str, Any]
    ) -> Any:
        """`run` for operators that write, draw random numbers or have a `device=`."""
        if self.takes_device:
            index = take_device(named, index)
        if self.is_random:
            out = randomness.draw(self, index, hosts, named)
        else:
            out = self.op(*hosts, **named)
        if self.resizes:
            self._sync(args, kwargs)
        if type(out) is not tuple:
            position = self.returned[0] if self.returned else None
            return self._result(out, position, args, kwargs, index)
        return tuple(
            self._result(o, position, args, kwargs, index)
            for o, position in zip(out, self.returned, strict=True)
        )

    def _result(self, out: Any, position: Any, args: Any, kwargs: Any, index: int) -> Any:
        if position is None:
            return wrap_all(out, index)
        return self._argument(position, args, kwargs)

    def _argument(self, position: Any, args: Any, kwargs: Any) -> Any:
        return args[position] if position < len(args) else kwargs.get(self.names[position])

    def _sync(self, args: Any, kwargs: Any) -> None:
        for position in self.written:
            given = self._argument(position, args, kwargs)
            for item in given if isinstance(given, (list, tuple)) else (given,):
                if type(item) is CudaTensor:
                    sync_metadata(item)


def _writes(argument: Any) -> bool:
    return argument.alias_info is not None and argument.alias_info.is_write


def _argument_of(result: Any, arguments: Any) -> int | None:
    """The position of the argument that an in-place or out= operator gives back."""
    if not _writes(result):
        return None
    for position, argument in enumerate(arguments):
        info = argument.alias_info
        if _writes(argument) and info.before_set == result.alias_info.before_set:
            return position
    return None


# By id, because hashing an operator runs Python code. A plan keeps its operator alive.
PLANS: dict[int, Any] = {}


def plan_for(func: Any) -> Any:
    """How to run an operator.

    In inference mode there is no autograd key, so composites come here too: they are decomposed.
    """
    if func in computed.PLANS:
        return computed.PLANS[func]
    # In the steps of a sparse composite, C++ itself would make the compressed tensors.
    is_whole = "sparse" in func.name()
    if not is_whole and backend.is_composite(func.name(), "CompositeImplicitAutograd"):
        return lambda args, kwargs: func.decompose(*args, **(kwargs or {}))
    return DispatchPlan(func).run


def dispatch(func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None) -> Any:
    """`__torch_dispatch__`: what PyTorch calls for every operator with a `CudaTensor`."""
    plan = PLANS.get(id(func))
    if plan is None:
        plan = PLANS[id(func)] = plan_for(func)
    try:
        if mode_is_on():
            with no_torch_function():
                return plan(args, kwargs)
        return plan(args, kwargs)
    except Exception as error:
        return backward.defer(error)


CudaTensor.__torch_dispatch__ = staticmethod(dispatch)
