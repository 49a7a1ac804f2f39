"""How two sets of outputs differ, in words."""

from __future__ import annotations

import math
from collections.abc import Iterator

from grader.schema import Output, is_close


def differences(
    actual: tuple[Output, ...], expected: tuple[Output, ...], random: tuple[str, ...] = ()
) -> Iterator[str]:
    """Compare two results of `forward`; yields nothing if they are equal.

    The order of comparison is structure, type, shape, dtype, requires_grad, numbers: each later
    comparison presupposes the earlier ones. Numbers are close within `RELATIVE` and `ABSOLUTE`.

    Args:
        actual: the outputs of the learner's module, flattened to leaves.
        expected: the solution's outputs for the same state and inputs.
        random: paths of outputs whose numbers depend on the seed, and so are not compared.

    Yields:
        one message for each output that differs, or one if the structures differ.
    """
    if [output.path for output in actual] != [output.path for output in expected]:
        yield f"`forward` returned {_shape_of(actual)}; wanted: {_shape_of(expected)}"
        return
    for output, right in zip(actual, expected, strict=True):
        difference = _difference(output, right, output.path in random)
        if difference:
            yield difference


def has_nan(outputs: tuple[Output, ...]) -> bool:
    """Whether any output holds NaN, which compares unequal to itself."""
    numbers = (output.values.numbers() for output in outputs if output.values)
    return any(any(map(math.isnan, values)) for values in numbers)


def _shape_of(outputs: tuple[Output, ...]) -> str:
    if not outputs:
        return "nothing"
    return ", ".join(f"{output.path} a {output.type}" for output in outputs)


def _difference(actual: Output, expected: Output, is_random: bool) -> str:
    if actual.type != expected.type:
        return _wrong_type(actual, expected)
    if actual.shape != expected.shape:
        return f"{actual.path} has shape {actual.shape}; wanted: {expected.shape}"
    if actual.dtype != expected.dtype:
        return f"{actual.path} has dtype {actual.dtype}; wanted: {expected.dtype}"
    if expected.requires_grad and not actual.requires_grad:
        return (
            f"{actual.path} is cut off from what it was computed from, so no gradient comes back "
            "through it: is there a `detach()`, an `.item()` or a `torch.no_grad()` on its way?"
        )
    if is_random or expected.values is None:
        return ""
    if actual.values is None or len(actual.values.data) != len(expected.values.data):
        return f"{actual.path} has no numbers that can be read; wanted: a tensor like any other"
    pairs = list(zip(actual.values.numbers(), expected.values.numbers(), strict=True))
    wrong = [(a, b) for a, b in pairs if not is_close(a, b)]
    if not wrong:
        return ""
    a, b = wrong[0]
    return (
        f"{len(wrong)} of {len(pairs)} numbers in {actual.path} are not what the same state and "
        f"inputs should give (the first is {a:.4g}; wanted: {b:.4g})"
    )


def _wrong_type(actual: Output, expected: Output) -> str:
    if actual.type == "NoneType":
        return f"{actual.path} is None: is a `return` missing at the end of `forward`?"
    if actual.type == "ndarray":
        return f"{actual.path} is a NumPy array, which lives in CPU memory; return a tensor"
    return f"{actual.path} is a {actual.type}; wanted: a {expected.type}"
