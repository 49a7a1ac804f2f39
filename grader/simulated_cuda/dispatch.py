"""Run one operator: check the devices, run it on the hosts, wrap what comes out."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import backend, rules, runtime


class Plan:
    """What is known of one operator before its arguments are seen."""

    def __init__(self, func: Any) -> None:
        schema = func._schema
        self.func = func  # kept alive: the table below goes by id
        self.run = func._op
        self.special = SPECIAL.get(func)
        arguments = schema.arguments
        names = [a.name for a in arguments]
        self.written = [
            (position, a.name)
            for position, a in enumerate(arguments)
            if a.alias_info is not None and a.alias_info.is_write
        ]
        self.returned = [_written_by(r, arguments) for r in schema.returns]
        self.fresh = not any(name is not None for name in self.returned)
        self.names = names
        self.random = torch.Tag.nondeterministic_seeded in func.tags
        self.generator = "generator" in names


def _written_by(result: Any, arguments: Any) -> int | None:
    """The position of the argument that an in-place or out= operator returns."""
    if result.alias_info is None or not result.alias_info.is_write:
        return None
    for position, argument in enumerate(arguments):
        info = argument.alias_info
        if info is not None and info.is_write and info.before_set == result.alias_info.before_set:
            return position
    return None


PLANS: dict[int, Plan] = {}


def dispatch(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None) -> Any:
    plan = PLANS.get(id(func))
    if plan is None:
        plan = PLANS[id(func)] = Plan(func)
    with backend.no_torch_function():
        if plan.special is not None:
            return plan.special(func, args, kwargs or {})
        return run(plan, args, kwargs)


def run(plan: Plan, args: tuple[Any, ...], kwargs: dict[str, Any] | None) -> Any:
    seen: set[int] = set()
    hosts = [unwrap(a, seen) for a in args]
    named = {k: unwrap(v, seen) for k, v in kwargs.items()} if kwargs else {}
    if len(seen) > 1:
        rules.check(plan.func, plan.names, args, kwargs or {})
    index = max(seen, default=-1)
    if "device" in named:
        index = _index(named["device"], index)
        named["device"] = torch.device("cpu")
        if named.get("pin_memory"):
            named["pin_memory"] = False
    if plan.random and index >= 0:
        out = runtime.draw(plan, index, hosts, named)
    else:
        out = plan.run(*hosts, **named)
    if plan.written:
        _follow(plan, args, kwargs or {})
    if index < 0:
        return out
    if plan.fresh:
        return wrap_all(out, index)
    if type(out) is tuple:
        return tuple(
            wrap_all(o, index) if p is None else _argument(plan, p, args, kwargs or {})
            for o, p in zip(out, plan.returned, strict=True)
        )
    return _argument(plan, plan.returned[0], args, kwargs or {})


def _argument(plan: Plan, position: Any, args: Any, kwargs: Any) -> Any:
    return args[position] if position < len(args) else kwargs[plan.names[position]]


def _follow(plan: Plan, args: Any, kwargs: Any) -> None:
    """After an in-place operator the wrapper takes the sizes its host has now."""
    for position, name in plan.written:
        given = args[position] if position < len(args) else kwargs.get(name)
        for item in given if isinstance(given, (list, tuple)) else (given,):
            if type(item) is CudaTensor:
                follow(item)


def follow(wrapper: Any) -> None:
    host = wrapper.host
    if wrapper.shape != host.shape or wrapper.stride() != host.stride():
        backend.resize_wrapper(wrapper, host)


def _index(device: Any, index: int) -> int:
    if device is None:
        return index
    if device.type != backend.NAME:
        return -1
    return device.index if device.index is not None else runtime.current()


def unwrap(value: Any, seen: set[int]) -> Any:
    kind = type(value)
    if kind is CudaTensor:
        seen.add(value.index)
        return value.host
    if kind is list or kind is tuple:
        return [unwrap(v, seen) for v in value]
    if isinstance(value, Tensor):
        seen.add(-1)
    return value


def wrap_all(value: Any, index: int) -> Any:
    if isinstance(value, Tensor):
        return wrap(value, index)
    if isinstance(value, (list, tuple)):
        return type(value)(wrap_all(v, index) for v in value)
    return value


def _to_copy(func: Any, args: Any, kwargs: Any) -> Any:
    source = args[0]
    host = source.host if type(source) is CudaTensor else source
    here = source.index if type(source) is CudaTensor else -1
    index = _index(kwargs.get("device"), here)
    kwargs = {k: v for k, v in kwargs.items() if k not in ("device", "pin_memory")}
    out = func(host, **kwargs)
    return wrap(out, index) if index >= 0 else out


def _copy_(func: Any, args: Any, kwargs: Any) -> Any:
    func(*[a.host if type(a) is CudaTensor else a for a in args], **kwargs)
    return args[0]


def _item(func: Any, args: Any, kwargs: Any) -> Any:
    return func(args[0].host)


aten = torch.ops.aten
SPECIAL: dict[Any, Any] = {
    aten._to_copy.default: _to_copy,
    aten.copy_.default: _copy_,
    aten._local_scalar_dense.default: _item,
}

from .tensor import CudaTensor, wrap  # noqa: E402  (each needs the other)
