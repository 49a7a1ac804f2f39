"""Whether two sets of outputs are equal within tolerance."""

from __future__ import annotations

import math
from collections.abc import Iterator

from grader.evidence import Output

# Looser than `torch.testing.assert_close` (1.3e-6 and 1e-5 for float32): an honest answer may
# compute in another order than the solution.
RELATIVE = 1e-4
ABSOLUTE = 1e-5
ROUNDING = 5e-3  # of the largest number, between two devices


def nearly_equal(a: tuple[Output, ...], b: tuple[Output, ...]) -> bool:
    """Whether two runs differ by no more than rounding on two devices can explain.

    Floating-point numbers may differ by `ROUNDING` times the largest finite one of their tensor:
    CUDA's reductions add in another order than the CPU's.
    """
    if [output.path for output in a] != [output.path for output in b]:
        return False
    return all(_is_nearly_equal(actual, expected) for actual, expected in zip(a, b, strict=True))


def _is_nearly_equal(actual: Output, expected: Output) -> bool:
    if actual.shape != expected.shape or actual.type != expected.type:
        return False
    if actual.values is None or expected.values is None or "float" not in actual.dtype:
        return True
    if actual.values == expected.values:  # as bytes, so that NaN equals NaN
        return True
    a, b = actual.values.numbers(), expected.values.numbers()
    scale = max((abs(number) for number in b if math.isfinite(number)), default=0.0)
    if len(a) != len(b):
        return False
    pairs = zip(a, b, strict=True)
    return all(
        _both_nan(x, y) or is_close(x, y) or abs(x - y) <= ROUNDING * scale for x, y in pairs
    )


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


def _both_nan(a: float, b: float) -> bool:
    return math.isnan(a) and math.isnan(b)


def is_close(a: float, b: float) -> bool:
    """`math.isclose` with this module's tolerances; NaN is close to nothing, itself included."""
    return math.isclose(a, b, rel_tol=RELATIVE, abs_tol=ABSOLUTE)
