"""How two sets of outputs differ, in words."""

from __future__ import annotations

import math
from collections.abc import Iterator

from grader.judge.wording import apart, join_names
from grader.schema import ABSOLUTE, ROUNDING, Output, is_close


def differences(
    actual: tuple[Output, ...], expected: tuple[Output, ...], random: tuple[str, ...] = ()
) -> Iterator[str]:
    """Compare two results of `forward`; yields nothing if they are equal.

    The order of comparison is structure, type, shape, dtype, numbers, gradients:
    each presupposes the earlier ones. Numbers are close within `RELATIVE` and `ABSOLUTE`.

    Args:
        actual: the outputs of the learner's module, flattened to leaves.
        expected: the solution's outputs for the same state and inputs.
        random: paths of outputs whose numbers depend on the seed, and so are not compared.

    Yields:
        one message for each output that differs, or one if the structures differ.
    """
    wrong = list(wrong_kinds(actual, expected))
    yield from wrong
    for output, right in zip(actual, expected, strict=True) if not wrong else ():
        difference = _difference(output, right, output.path in random)
        if difference:
            yield difference


def wrong_kinds(actual: tuple[Output, ...], expected: tuple[Output, ...]) -> Iterator[str]:
    """Where `forward` returned another structure than expected, or leaves of other types."""
    if [output.path for output in actual] != [output.path for output in expected]:
        yield f"`forward` returned {_shape_of(actual)}; expected: {_shape_of(expected)}"
        return
    for output, right in zip(actual, expected, strict=True):
        if output.type != right.type:
            yield _wrong_type(output, right)


def has_nan(outputs: tuple[Output, ...]) -> bool:
    """Whether any output holds NaN, which compares unequal to itself."""
    numbers = (output.values.numbers() for output in outputs if output.values)
    return any(any(map(math.isnan, values)) for values in numbers)


def _shape_of(outputs: tuple[Output, ...]) -> str:
    if not outputs:
        return "nothing"
    return ", ".join(f"{output.path} {_kind(output)}" for output in outputs)


def _kind(output: Output) -> str:
    return "a NumPy array" if output.type == "ndarray" else f"a {output.type}"


def _difference(actual: Output, expected: Output, is_random: bool) -> str:
    if actual.shape != expected.shape:
        return f"{actual.path} has shape {actual.shape}; expected: {expected.shape}"
    if actual.dtype != expected.dtype and not _are_floats_of_numpy(actual, expected):
        return f"{actual.path} has dtype {actual.dtype}; expected: {expected.dtype}"
    numbers = "" if is_random else _wrong_numbers(actual, expected)
    return numbers or _wrong_gradients(actual, expected, is_random)


def _wrong_numbers(actual: Output, expected: Output) -> str:
    if expected.values is None:
        return ""
    if actual.values is None or len(actual.values.data) != len(expected.values.data):
        return f"{actual.path} has no numbers that can be read; expected: a tensor like any other"
    pairs = list(zip(actual.values.numbers(), expected.values.numbers(), strict=True))
    wrong = [(a, b) for a, b in pairs if not is_close(a, b)]
    if not wrong:
        return ""
    first, right = apart(*wrong[0])
    return (
        f"{len(wrong)} of {len(pairs)} numbers in {actual.path} are not what the same state and "
        f"inputs should give (the first is {first}; expected: {right})"
    )


def _wrong_gradients(actual: Output, expected: Output, is_random: bool) -> str:
    """Where no gradient, or another one, comes back from an output; `""` if it is the right one.

    What one of them does not train is another check's to say. What draws random numbers may be a
    change of the data, which needs no gradient: then inputs are not asked.
    """
    cut = "is there a `detach()`, an `.item()` or a `torch.no_grad()`"
    if expected.requires_grad and not actual.requires_grad:
        return (
            f"{actual.path} is cut off from what it was computed from, so no gradient comes back "
            f"through it: {cut} on its way?"
        )
    given, right = _gradients(actual), _gradients(expected)
    asked = {n for n in right.keys() & given if not (is_random and n.startswith("input"))}
    lengths = {name: right[name] for name in asked if right[name] > ABSOLUTE}
    if unreached := sorted(name for name in lengths if not given[name]):
        names = join_names(unreached)
        return f"no gradient comes back from {actual.path} to {names}: {cut} between them?"
    other = sorted(
        name
        for name, length in lengths.items()
        if not math.isclose(given[name], length, rel_tol=ROUNDING)
    )
    if not other or is_random:
        return ""
    first, length = apart(given[other[0]], lengths[other[0]])
    return (
        f"the numbers in {actual.path} are right, and the gradient that comes back from it to "
        f"{join_names(other)} is another one (its length is {first}; expected: {length})"
    )


def _gradients(output: Output) -> dict[str, float]:
    lengths = output.gradients.numbers() if output.gradients else ()
    return dict(zip(output.reaches, lengths, strict=False))


def _are_floats_of_numpy(*outputs: Output) -> bool:
    """NumPy makes 64-bit numbers of Python's, as `.item()` and `.tolist()` give them."""
    return all(output.type == "ndarray" and "float" in output.dtype for output in outputs)


def _wrong_type(actual: Output, expected: Output) -> str:
    if actual.type == "NoneType":
        return f"{actual.path} is None: is a `return` missing at the end of `forward`?"
    if actual.type == "ndarray":
        return f"{actual.path} is a NumPy array, which lives in CPU memory; return a tensor"
    return f"{actual.path} is {_kind(actual)}; expected: {_kind(expected)}"
