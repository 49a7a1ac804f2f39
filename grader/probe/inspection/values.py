"""Tensors in and out of evidence: draws inputs, records values as bytes, and sets them again."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from math import isfinite, prod, sqrt
from operator import itemgetter
from typing import Any

import numpy
import torch
from msgspec.structs import replace
from torch import nn
from torch.nn.utils.rnn import PackedSequence

from grader.probe.inspection.plain import dict_of, entries_of, plain, slots_of
from grader.probe.inspection.registered import Reached, is_a, registered_once
from grader.schema import Drawn, Input, Output, State, Values

MOST_VALUES = 100_000  # numbers of one tensor in evidence, 8 bytes each
MOST_SAMPLED = 10_000  # numbers of one output
MOST_LEAVES = 5_000  # outputs of one call
DEEPEST = 50


def draw(
    inputs: tuple[Input, ...], seed: int, sizes: Mapping[str, Any] | None = None
) -> tuple[torch.Tensor, ...]:
    """CPU tensors of the specified kinds and shapes, some of which are arguments in `sizes`.

    `integers` are int64 in [0, high), each of them where there is room. The last row does not begin
    as the first, or weights of classes would cancel each other. `booleans` are True in at least
    half of each column. All others are float32 from the standard normal distribution. Equal seeds
    give equal inputs.
    """
    generator = torch.Generator().manual_seed(seed)
    drawn = []
    for spec in inputs:
        *shape, high = (
            (sizes or {})[n] if isinstance(n, str) else n for n in (*spec.shape, spec.high)
        )
        drawn.append(_draw(spec, tuple(shape), high, generator))
    return tuple(drawn)


def fill_state(module: nn.Module, seed: int, also: tuple[str, ...] = ()) -> None:
    """Give every trainable tensor that is saved values in [0.5, 1.5); integers, of 8 bits, no 0.

    Initial values such as ones and zeros would hide a forgotten product or difference. What nothing
    trains is what the constructor computed, such as a mask, and right as it is.

    Args:
        module: the module.
        seed: of the values.
        also: the names of tensors that get values though nothing trains them.
    """
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, tensor in saved_state(module).items():
            is_meant = tensor.requires_grad or name in also
            if is_meant and is_dense(tensor):
                memory = _without_repetition(tensor)
                fresh = torch.rand(memory.shape, generator=generator, dtype=torch.float64)
                whole = (fresh * 254 - 127).floor()
                whole += whole >= 0  # what was counted may be divided by
                memory.copy_(fresh + 0.5 if tensor.is_floating_point() else whole)


def is_dense(tensor: torch.Tensor) -> bool:
    """Whether it has a number for each index: not sparse, nested, quantized or on `meta`."""
    is_plain = tensor.layout == torch.strided and not tensor.is_nested
    return is_plain and not tensor.is_quantized and not tensor.is_meta


def _without_repetition(tensor: torch.Tensor) -> torch.Tensor:
    """The part of an expanded tensor with memory of its own, the only one that can be written."""
    strides = enumerate(tensor.stride())
    return tensor[tuple(slice(0, 1) if not stride else slice(None) for _, stride in strides)]


def state_of(module: nn.Module) -> tuple[State, ...]:
    """Name and values of every registered tensor, non-persistent buffers included.

    Not of tensors with more than `MOST_VALUES` numbers, or with none that can be read.
    """
    return tuple(
        State(name, values)
        for name, tensor in sorted_state(module).items()
        for values in [values_of(tensor)]
        if values is not None
    )


def distribution_of(states: Sequence[tuple[State, ...]]) -> tuple[Drawn, ...]:
    """Mean and scale of each entry, over `states` of several instances; of finite numbers only."""
    numbers: dict[str, array[float]] = {}
    for state in states:
        for entry in state:
            numbers.setdefault(entry.name, array("d")).extend(entry.values.numbers())
    return tuple(
        Drawn(name, len(some), Values.of([sum(some) / len(some), _root_mean_square(some)]))
        for name, some in numbers.items()
        if some and all(map(isfinite, some))
    )


def _root_mean_square(numbers: Sequence[float]) -> float:
    return sqrt(sum(number * number for number in numbers) / len(numbers))


def set_state(module: nn.Module, state: tuple[State, ...]) -> None:
    """Copy each entry into the registered tensor of that name, if it has as many numbers.

    Entries without such a tensor, and complex ones, are skipped.
    """
    tensors = sorted_state(module)
    with torch.no_grad():
        for entry in state:
            tensor = tensors.get(entry.name)
            numbers = torch.tensor(entry.values.numbers(), dtype=torch.float64)
            is_complex = numbers.numel() != prod(entry.values.shape)  # the solutions' are real
            if tensor is not None and tensor.numel() == numbers.numel() and not is_complex:
                tensor.copy_(numbers.view(tensor.shape))


def sorted_state(module: nn.Module) -> dict[str, torch.Tensor]:
    """Registered tensors by name, in the order of their names; not those that have no size yet."""
    return {entry.name: entry.tensor for entry in sorted_and_sized(registered_once(module))}


def sorted_and_sized(registered: list[Reached]) -> list[Reached]:
    """In the order of their names; not those that have no size yet."""
    sized = [entry for entry in registered if is_sized(entry.tensor)]
    return sorted(sized, key=lambda entry: entry.name)


def saved_state(module: nn.Module) -> dict[str, torch.Tensor]:
    """Registered tensors by name, without non-persistent buffers."""
    saved = {entry.name for entry in registered_once(module) if entry.persistent}
    return {name: tensor for name, tensor in sorted_state(module).items() if name in saved}


def gathered_by(module: nn.Module) -> tuple[Output, ...]:
    """What is saved and not trained, as if it were returned; of any dtype and shape."""
    tensors = saved_state(module).items()
    saved = {n: t for n, t in tensors if not t.requires_grad and is_sized(t) and is_dense(t)}
    return outputs_of({n: t.double().flatten() for n, t in saved.items()}, "state_dict()")


def is_sized(tensor: torch.Tensor) -> bool:
    """Whether a tensor has a shape; a lazy module's Parameters get theirs in the first call."""
    kind = type(tensor)
    if kind is torch.Tensor or kind is nn.Parameter:  # as most: `isinstance` of these is slow
        return True
    return not isinstance(tensor, nn.UninitializedParameter | nn.UninitializedBuffer)


def is_lazy(module: nn.Module) -> bool:
    """Whether a layer waits for its first input to learn its shape."""
    return not all(is_sized(entry.tensor) for entry in registered_once(module))


def is_named_tuple(value: Any) -> bool:
    return is_a(value, tuple) and hasattr(type(value), "_fields")


def outputs_of(returned: Any, path: str = "output") -> tuple[Output, ...]:
    """An `Output` for each leaf of what `forward` returned, named from `path` on."""
    return tuple(_leaf(value, where) for where, value in leaves(returned, path))


def leaves(tree: Any, path: str) -> Iterator[tuple[str, Any]]:
    """The leaves of nested tuples, lists, dicts and dataclass-like outputs, each with its path.

    A container that is inside itself or too deep is a leaf, and of very many the first are given.
    """
    return islice(_leaves(tree, path, ()), MOST_LEAVES)


def _leaves(tree: Any, path: str, around: tuple[int, ...]) -> Iterator[tuple[str, Any]]:
    parts = None if id(tree) in around or len(around) > DEEPEST else _parts(tree)
    if parts is None:
        yield path, tree
        return
    for step, value in parts:
        yield from _leaves(value, f"{path}{step}", (*around, id(tree)))


def _parts(tree: Any) -> Iterator[tuple[str, Any]] | None:
    """What a container holds, each with the step to it; None if it is a leaf."""
    if is_named_tuple(tree):
        # A PackedSequence's batch_sizes are on the CPU wherever the rest is.
        unread = {"batch_sizes"} if is_a(tree, PackedSequence) else set()
        named = zip(type(tree)._fields, tuple.__iter__(tree), strict=False)
        return ((f".{name}", value) for name, value in named if name not in unread)
    if is_a(tree, tuple, list, dict):
        entries = entries_of(tree) or iter(())
        return iter(sorted(entries, key=itemgetter(0))) if is_a(tree, dict) else entries
    if fields := vars(type(tree)).get("__dataclass_fields__"):
        held = {**dict(slots_of(tree)), **dict_of(tree)}
        return ((f".{name}", held[name]) for name in fields if name in held)
    return None


def shape_of(tensor: torch.Tensor) -> tuple[int, ...]:
    """The shape, or `()` of a lazy or nested tensor, which has none."""
    try:
        return tuple(plain(tensor).shape)
    except RuntimeError:
        return ()


def values_of(tensor: torch.Tensor) -> Values | None:
    """The numbers as little-endian float64; complex ones as pairs of real and imaginary part.

    None for more than `MOST_VALUES` numbers, and for tensors that are not dense.
    """
    if not is_dense(tensor) or tensor.numel() > MOST_VALUES:
        return None
    plain = tensor.detach().cpu()
    if plain.is_complex():
        plain = torch.view_as_real(plain.resolve_conj().to(torch.complex128))
    packed = plain.to(torch.float64).contiguous().numpy().astype("<f8")
    return Values(tuple(tensor.shape), packed.tobytes())


def sample_of(tensor: torch.Tensor) -> Values | None:
    """The numbers, or about `MOST_SAMPLED` of them at equal distances, with the full shape."""
    if not is_dense(tensor) or tensor.numel() <= MOST_SAMPLED:
        return values_of(tensor)
    # An odd step, so that it does not always meet the same column.
    some = values_of(tensor.detach().flatten()[:: tensor.numel() // MOST_SAMPLED | 1])
    return Values(tuple(tensor.shape), some.data) if some else None


def _draw(
    spec: Input, shape: tuple[int, ...], high: int, generator: torch.Generator
) -> torch.Tensor:
    if spec.kind == "booleans":
        drawn = torch.rand(shape, generator=generator)
        return drawn <= drawn.median(dim=0).values
    if spec.kind == "normal":
        return torch.randn(shape, generator=generator)
    size = prod(shape)
    often = torch.randint(high, (max(size - high, 0),), generator=generator)
    every = torch.cat([torch.randperm(high, generator=generator), often])[:size]
    drawn = every[torch.randperm(size, generator=generator)].view(shape)
    for place in spec.zeros:
        drawn[place] = 0
    if shape[:1] > (1,) and torch.equal(drawn.flatten()[:1], drawn[-1:].flatten()[:1]):
        drawn[(0,) * drawn.dim()] = (drawn[(0,) * drawn.dim()] + 1) % high
    return drawn


def _leaf(value: Any, path: str) -> Output:
    if type(value) is numpy.ndarray and value.dtype.kind in "biuf":
        numbers = _leaf(torch.from_numpy(value.astype("f8")), path)
        return replace(numbers, type="ndarray", device="", dtype=str(value.dtype))
    if not is_a(value, torch.Tensor):
        return Output(path, type(value).__name__)
    tensor = plain(value)
    dtype = str(tensor.dtype).removeprefix("torch.")
    shape = shape_of(tensor)
    where, values = str(tensor.device), sample_of(tensor)
    return Output(path, "Tensor", where, dtype, shape, values, requires_grad=tensor.requires_grad)
