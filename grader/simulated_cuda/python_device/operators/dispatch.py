"""Run one operator: look where its tensors are, run it on their hosts, wrap what comes out."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from .. import backend, backward
from ..backend import mode_is_on, no_torch_function
from ..tensors.hosts import follow, send, unwrap, wrap_all
from ..tensors.tensor import CudaTensor, wrap
from . import randomness, rules, special

# The same operators without the detour over their schema.
SHORT_CUTS = {
    torch.ops.aten.detach.default: torch.Tensor.detach,
    torch.ops.aten.t.default: torch.Tensor.t,
    torch.ops.aten.mm.default: torch.mm,
}
NUMBERS = {int, float, bool, type(None)}
# Operators without the tag that change the sizes of a tensor in place.
RESIZING = {"aten::resize_", "aten::resize_as_", "aten::set_", "aten::addbmm_"}


class Plan:
    """One operator: what can be known before its arguments are seen, and how it is run."""

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
        self.random = torch.Tag.nondeterministic_seeded in func.tags
        self.device = "device" in self.names
        self.picky = func is torch.ops.aten.convolution.default  # about dtypes, too
        self.plain = not (self.written or self.random or self.device)

    def run(self, args: tuple[Any, ...], kwargs: dict[str, Any] | None) -> Any:
        """Called for every operator of every step: short of that, it would be shorter."""
        # One bit for each place a tensor may be: bit 0 is the CPU, bit n + 1 is cuda:n.
        places = 0
        hosts: list[Any] = []
        for value in args:
            kind = type(value)
            if kind is CudaTensor:
                places |= 2 << value.index
                hosts.append(value.host)
            elif kind in NUMBERS:
                hosts.append(value)
            else:
                host, bits = unwrap(value)
                places |= bits
                hosts.append(host)
        named: dict[str, Any] | None = None
        if kwargs:
            named = {}
            for name, value in kwargs.items():
                named[name], bits = unwrap(value)
                places |= bits
        if (places & (places - 1) or self.picky) and rules.check(self, args, kwargs or {}):
            return backend.run_composite(self.func, args, kwargs or {})
        index = places.bit_length() - 2
        try:
            if not self.plain:
                return self._run_with_care(args, kwargs or {}, index, hosts, named or {})
            out = self.op(*hosts, **named) if named else self.op(*hosts)
        except RuntimeError as error:
            rules.reword(error)
            raise
        return wrap(out, index) if type(out) is Tensor and index >= 0 else wrap_all(out, index)

    def _run_with_care(
        self, args: Any, kwargs: Any, index: int, hosts: list[Any], named: dict[str, Any]
    ) -> Any:
        """The operators that write, draw random numbers or choose a device."""
        if self.device:
            index = send(named, index)
        if self.random:
            out = randomness.draw(self, index, hosts, named)
        else:
            out = self.op(*hosts, **named)
        if self.resizes:
            self._follow(args, kwargs)
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

    def _follow(self, args: Any, kwargs: Any) -> None:
        for position in self.written:
            given = self._argument(position, args, kwargs)
            for item in given if isinstance(given, (list, tuple)) else (given,):
                if type(item) is CudaTensor:
                    follow(item)


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


# By id, because hashing an operator runs Python; a plan keeps its operator alive.
PLANS: dict[int, Any] = {}


def plan_for(func: Any) -> Any:
    """How an operator is run; in inference mode even those come here that are made of others."""
    if func in special.PLANS:
        return special.PLANS[func]
    # Compressed sparse tensors are made whole: step by step C++ would make them, not we.
    whole = "sparse" in func.name()
    if not whole and backend.is_composite(func.name(), "CompositeImplicitAutograd"):
        return lambda args, kwargs: func.decompose(*args, **(kwargs or {}))
    return Plan(func).run


def dispatch(func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None) -> Any:
    """What PyTorch calls for every operator with a simulated tensor in it."""
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
