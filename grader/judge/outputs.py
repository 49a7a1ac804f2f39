"""Whether two sets of outputs are equal within tolerance."""

from __future__ import annotations

import math
from collections.abc import Iterator

from grader.evidence import Output

RELATIVE = 1e-4
ABSOLUTE = 1e-5
ROUNDING = 5e-3


def much_alike(a: tuple[Output, ...], b: tuple[Output, ...]) -> bool:
    """Whether two runs gave the same but for what rounding on two devices can explain."""
    if [each.path for each in a] != [each.path for each in b]:
        return False
    return all(_much_alike(mine, theirs) for mine, theirs in zip(a, b, strict=True))


def _much_alike(mine: Output, theirs: Output) -> bool:
    if mine.shape != theirs.shape or mine.type != theirs.type:
        return False
    if mine.values is None or theirs.values is None or "float" not in mine.dtype:
        return True
    a, b = mine.values.numbers(), theirs.values.numbers()
    scale = max((abs(number) for number in b if math.isfinite(number)), default=0.0)
    if len(a) != len(b):
        return False
    pairs = zip(a, b, strict=True)
    return all(
        _both_nan(x, y) or is_close(x, y) or abs(x - y) <= ROUNDING * scale for x, y in pairs
    )


def differences(
    got: tuple[Output, ...], wanted: tuple[Output, ...], random: tuple[str, ...] = ()
) -> Iterator[str]:
    """What tells `got` from `wanted`, in words; nothing if they are equal.

    Args:
        got: what the learner's module gave.
        wanted: what it should have given.
        random: the paths of outputs whose numbers do not count.
    """
    if [each.path for each in got] != [each.path for each in wanted]:
        yield f"`forward` returned {_shape_of(got)}; wanted: {_shape_of(wanted)}"
        return
    for mine, theirs in zip(got, wanted, strict=True):
        difference = _difference(mine, theirs, mine.path in random)
        if difference:
            yield difference


def has_nan(outputs: tuple[Output, ...]) -> bool:
    """Whether a number in them is NaN, which equals nothing."""
    numbers = (each.values.numbers() for each in outputs if each.values)
    return any(any(map(math.isnan, each)) for each in numbers)


def _shape_of(outputs: tuple[Output, ...]) -> str:
    if not outputs:
        return "nothing"
    return ", ".join(f"{each.path} a {each.type}" for each in outputs)


def _difference(mine: Output, theirs: Output, is_random: bool) -> str:
    if mine.type != theirs.type:
        return _wrong_type(mine, theirs)
    if mine.shape != theirs.shape:
        return f"{mine.path} has shape {mine.shape}; wanted: {theirs.shape}"
    if mine.dtype != theirs.dtype:
        return f"{mine.path} has dtype {mine.dtype}; wanted: {theirs.dtype}"
    if theirs.requires_grad and not mine.requires_grad:
        return (
            f"{mine.path} is cut off from what it was computed from, so no gradient comes back "
            "through it: is there a `detach()`, an `.item()` or a `torch.no_grad()` on its way?"
        )
    if is_random or theirs.values is None:
        return ""
    if mine.values is None or len(mine.values.data) != len(theirs.values.data):
        return f"{mine.path} has no numbers that can be read; wanted: a tensor like any other"
    pairs = list(zip(mine.values.numbers(), theirs.values.numbers(), strict=True))
    wrong = [(a, b) for a, b in pairs if not is_close(a, b)]
    if not wrong:
        return ""
    a, b = wrong[0]
    return (
        f"{len(wrong)} of {len(pairs)} numbers in {mine.path} are not what the same state and "
        f"inputs should give (the first is {a:.4g}; wanted: {b:.4g})"
    )


def _wrong_type(mine: Output, theirs: Output) -> str:
    if mine.type == "NoneType":
        return f"{mine.path} is None: is a `return` missing at the end of `forward`?"
    if mine.type == "ndarray":
        return f"{mine.path} is a NumPy array, which lives in CPU memory; return a tensor"
    return f"{mine.path} is a {mine.type}; wanted: a {theirs.type}"


def _both_nan(a: float, b: float) -> bool:
    return math.isnan(a) and math.isnan(b)


def is_close(a: float, b: float) -> bool:
    """NaN is close to nothing: no solution gives it, unless a learner's state brings it in."""
    return math.isclose(a, b, rel_tol=RELATIVE, abs_tol=ABSOLUTE)
