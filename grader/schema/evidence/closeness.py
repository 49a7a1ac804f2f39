"""Whether numbers in evidence are equal within tolerance."""

from __future__ import annotations

import math

from grader.schema.evidence.calls import Output

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
    if len(a) != len(b):
        return False
    scale = max(map(abs, filter(math.isfinite, b)), default=0.0)
    if math.dist(a, b) <= ROUNDING * scale:  # no difference is larger; of NaN it is NaN
        return True
    pairs = zip(a, b, strict=True)
    return all(
        _both_nan(x, y) or is_close(x, y) or abs(x - y) <= ROUNDING * scale for x, y in pairs
    )


def _both_nan(a: float, b: float) -> bool:
    return math.isnan(a) and math.isnan(b)


def is_close(a: float, b: float) -> bool:
    """`math.isclose` with this module's tolerances; NaN is close to nothing, itself included."""
    return math.isclose(a, b, rel_tol=RELATIVE, abs_tol=ABSOLUTE)
