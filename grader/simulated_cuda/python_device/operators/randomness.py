"""Generators: each device has its own, so drawing there leaves the CPU's state alone."""

from __future__ import annotations

import weakref
from typing import Any

import torch

from .. import devices

_CPU_GENERATOR = torch.Generator
_known: weakref.WeakValueDictionary[int, Any] = weakref.WeakValueDictionary()


class CudaGenerator(_CPU_GENERATOR):
    """A CPU generator that belongs to a simulated device."""

    index: int

    @property
    def device(self) -> torch.device:  # type: ignore[override]
        """The CUDA device that it draws for."""
        return devices.CUDA[self.index]

    def clone_state(self) -> CudaGenerator:
        """A new generator of the same device in the same state."""
        copy = new(self.index)
        copy.set_state(self.get_state())
        return copy


def new(index: int) -> CudaGenerator:
    """A new generator for `cuda:{index}`."""
    generator = CudaGenerator()
    generator.index = index
    # C++ gives another Python object for the same generator, so `check` compares addresses.
    _known[generator._cdata] = generator  # type: ignore[attr-defined]
    return generator


class _EitherGenerator(type):
    """The class of `Generator`: calls make generators of either kind, `isinstance` knows both."""

    def __call__(cls, device: Any = "cpu") -> Any:
        if isinstance(device, int) or torch.device(device).type == "cuda":
            return new(devices.number(device))
        return _CPU_GENERATOR(device)

    def __instancecheck__(cls, value: Any) -> bool:
        return isinstance(value, _CPU_GENERATOR)


class Generator(metaclass=_EitherGenerator):
    """`torch.Generator`, for the CPU and for CUDA devices."""


def check(generator: Any, index: int) -> None:
    """Check that a generator is of the kind of device `index` (-1: the CPU).

    Raises:
        RuntimeError: it is of the other kind; in the words of `check_generator`.
    """
    found = _known.get(generator._cdata)
    if (found is None) != (index < 0):
        want, have = ("cpu", "cuda") if index < 0 else ("cuda", "cpu")
        raise RuntimeError(f"Expected a '{want}' device type for generator but found '{have}'")


def draw(plan: Any, index: int, hosts: list[Any], named: dict[str, Any]) -> Any:
    """Run an operator that draws random numbers, with its device's generator.

    An operator without a `generator=` draws from the CPU's default generator: give that the state
    of the device's for the call, and put its own state back.
    """
    given = next((v for v in (*hosts, *named.values()) if isinstance(v, _CPU_GENERATOR)), None)
    if given is not None:
        check(given, index)
        return plan.op(*hosts, **named)
    if index < 0:
        return plan.op(*hosts, **named)
    mine = torch.cuda.default_generators[index]
    if "generator" in plan.names and plan.names.index("generator") >= len(hosts):
        return plan.op(*hosts, **{**named, "generator": mine})
    cpu = torch.default_generator
    before = cpu.get_state()
    cpu.set_state(mine.get_state())
    try:
        return plan.op(*hosts, **named)
    finally:
        mine.set_state(cpu.get_state())
        cpu.set_state(before)
