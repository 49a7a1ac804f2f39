"""Tensors in and out of evidence: inputs drawn from a seed, values written down and read back."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Any

import torch
from torch import nn
from torch.nn.utils.rnn import PackedSequence

from grader.evidence import Output, State, Values
from grader.probe.walk import is_a, registered_once
from grader.recipe import Input

MOST_VALUES = 100_000
MOST_SAMPLED = 10_000


def draw(inputs: tuple[Input, ...], seed: int) -> tuple[torch.Tensor, ...]:
    """Fresh CPU inputs; equal seeds give equal ones."""
    generator = torch.Generator().manual_seed(seed)
    return tuple(_draw(each, generator) for each in inputs)


def fill_state(module: nn.Module, seed: int) -> None:
    """Give every saved floating-point tensor values in [0.5, 1.5).

    Initial values such as ones and zeros would hide a forgotten product or difference. What is not
    saved is what the constructor computed, such as a mask, and right as it is.
    """
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for tensor in saved_state(module).values():
            if tensor.is_floating_point():
                fresh = torch.rand(tensor.shape, generator=generator, dtype=torch.float64) + 0.5
                tensor.copy_(fresh)


def state_of(module: nn.Module) -> tuple[State, ...]:
    """The values of every registered tensor, non-persistent buffers too."""
    return tuple(
        State(name, values)
        for name, tensor in sorted_state(module).items()
        for values in [values_of(tensor)]
        if values is not None
    )


def set_state(module: nn.Module, state: tuple[State, ...]) -> None:
    """Copy each value into the registered tensor of that name and size; others are passed over."""
    tensors = sorted_state(module)
    with torch.no_grad():
        for entry in state:
            tensor = tensors.get(entry.name)
            if tensor is not None and tensor.numel() == prod(entry.values.shape):
                numbers = torch.tensor(entry.values.numbers(), dtype=torch.float64)
                tensor.copy_(numbers.view(tensor.shape))


def sorted_state(module: nn.Module) -> dict[str, torch.Tensor]:
    """Registered tensors by name, in the order of their names."""
    named = [(each.name, each.tensor) for each in registered_once(module)]
    return dict(sorted(named, key=lambda pair: pair[0]))


def saved_state(module: nn.Module) -> dict[str, torch.Tensor]:
    """Those that a checkpoint would hold."""
    named = [(each.name, each.tensor) for each in registered_once(module) if each.persistent]
    return dict(sorted(named, key=lambda pair: pair[0]))


def outputs_of(returned: Any, path: str = "output") -> tuple[Output, ...]:
    """Each leaf of what `forward` returned."""
    return tuple(_leaf(value, where) for where, value in leaves(returned, path))


def leaves(tree: Any, path: str) -> Iterator[tuple[str, Any]]:
    """The leaves of nested tuples, lists, dicts and dataclass-like outputs, each with its path."""
    if is_a(tree, tuple) and hasattr(tree, "_fields"):
        for name in tree._fields:
            if name == "batch_sizes" and isinstance(tree, PackedSequence):
                continue  # on the CPU wherever the rest is
            yield from leaves(getattr(tree, name), f"{path}.{name}")
    elif is_a(tree, tuple, list):
        for i, value in enumerate(tree):
            yield from leaves(value, f"{path}[{i}]")
    elif is_a(tree, dict):
        for key, value in tree.items():
            yield from leaves(value, f"{path}[{key!r}]")
    elif hasattr(type(tree), "__dataclass_fields__"):
        for name in tree.__dataclass_fields__:
            yield from leaves(getattr(tree, name), f"{path}.{name}")
    else:
        yield path, tree


def values_of(tensor: torch.Tensor) -> Values | None:
    """Its numbers, or None where it holds too many or has none to read."""
    if tensor.numel() > MOST_VALUES or tensor.layout != torch.strided or tensor.is_quantized:
        return None
    plain = tensor.detach().cpu()
    if plain.is_complex():
        plain = torch.view_as_real(plain.resolve_conj().to(torch.complex128))
    packed = plain.to(torch.float64).contiguous().numpy().astype("<f8")
    return Values(tuple(tensor.shape), packed.tobytes())


def sample_of(tensor: torch.Tensor) -> Values | None:
    """Its numbers, or some of them where it holds too many, from all over it."""
    if tensor.numel() <= MOST_SAMPLED or tensor.layout != torch.strided:
        return values_of(tensor)
    # An odd step, so that it does not always meet the same column.
    some = values_of(tensor.detach().flatten()[:: tensor.numel() // MOST_SAMPLED | 1])
    return Values(tuple(tensor.shape), some.data) if some else None


def _draw(spec: Input, generator: torch.Generator) -> torch.Tensor:
    if spec.kind == "integers":
        return torch.randint(spec.high, spec.shape, generator=generator)
    if spec.kind == "booleans":
        return torch.rand(spec.shape, generator=generator) < 0.5
    return torch.randn(spec.shape, generator=generator)


def _leaf(value: Any, path: str) -> Output:
    if not is_a(value, torch.Tensor):
        return Output(path, type(value).__name__)
    dtype = str(value.dtype).removeprefix("torch.")
    shape = tuple(value.shape)
    return Output(path, "Tensor", str(value.device), dtype, shape, sample_of(value))
