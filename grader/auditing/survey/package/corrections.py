"""Learns from the error of a failing call which tensor it wants."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

FLOATS, INTEGERS = "torch.randn", "torch.randint"
WRITTEN = re.compile(r"torch\.\w+\((?:(\d+), )?\(?([\d, ]+)\)")
# By the number of its dimensions, what comes before the last one.
LEADING = {1: (), 2: (2,), 3: (2, 5), 4: (2, 3, 16), 5: (2, 3, 8, 8)}


@dataclass(frozen=True)
class TensorGuess:
    """A tensor with random values: of floats, or of integers below `high`."""

    shape: tuple[int, ...]
    high: int = 0

    @staticmethod
    def of(source: str) -> TensorGuess | None:
        """The guess that is written so; None where it is something else."""
        found = WRITTEN.fullmatch(source)
        if found is None:
            return None
        high = int(found[1] or 0) if source.startswith(INTEGERS) else 0
        first = () if high or not found[1] else (int(found[1]),)
        return TensorGuess(
            (*first, *(int(size) for size in found[2].split(",") if size.strip())), high
        )

    @property
    def source(self) -> str:
        sizes = ", ".join(map(str, self.shape))
        if not self.high:
            return f"{FLOATS}({sizes})"
        return f"{INTEGERS}({self.high}, ({sizes}{',' * (len(self.shape) == 1)}))"


Change = Callable[[TensorGuess, tuple[int, ...]], TensorGuess]


def _last(guess: TensorGuess, said: tuple[int, ...]) -> TensorGuess:
    return replace(guess, shape=(*guess.shape[:-1], said[0]))


def _channels(guess: TensorGuess, said: tuple[int, ...]) -> TensorGuess:
    return replace(guess, shape=(*guess.shape[:1], said[0], *guess.shape[2:]))


def _rank(guess: TensorGuess, said: tuple[int, ...]) -> TensorGuess:
    leading = LEADING.get(said[0])
    last = guess.shape[-1] if guess.shape else 8
    return guess if leading is None else replace(guess, shape=(*leading, last))


def _rank_above(guess: TensorGuess, said: tuple[int, ...]) -> TensorGuess:
    return _rank(guess, (said[0] + 1,))


def _one_more(guess: TensorGuess, said: tuple[int, ...]) -> TensorGuess:
    return _rank(guess, (len(guess.shape) + 1,))


def _matching(guess: TensorGuess, said: tuple[int, ...]) -> TensorGuess:
    """Of two sizes that must match, the tensor has one and gets the other."""
    first, second, at = said
    if at >= len(guess.shape) or guess.shape[at] not in (first, second):
        return guess
    other = second if guess.shape[at] == first else first
    return replace(guess, shape=(*guess.shape[:at], other, *guess.shape[at + 1 :]))


def _integers(guess: TensorGuess, said: tuple[int, ...]) -> TensorGuess:
    return replace(guess, high=4)


def _floats(guess: TensorGuess, said: tuple[int, ...]) -> TensorGuess:
    return replace(guess, high=0)


# What PyTorch, Python and einops say; the numbers are given to the change.
RULES: tuple[tuple[str, Change], ...] = (
    (r"shapes cannot be multiplied \(\d+x\d+ and (\d+)x\d+\)", _last),
    (r"expected input\[.*\] to have (\d+) channels", _channels),
    (r"normalized_shape=\[(?:\d+, )*(\d+)\]", _last),
    (r"must be equal to input_size\. Expected (\d+)", _last),
    (r"embedding dimension of (\d+)", _last),
    (r"running_mean should contain \d+ elements not (\d+)", _channels),
    (r"scalar types: Long, Int", _integers),
    (r"expected scalar type Long|must be (?:long|int)|should be Long", _integers),
    (r"same dtype, but got: (?:long|int)|got 'Long'|not implemented for 'Long'", _floats),
    (r"not enough values to unpack \(expected (\d+)", _rank),
    (r"too many values to unpack \(expected (\d+)", _rank),
    (r"[Ee]xpected .*\b(\d)D \(batched\)", _rank),
    (r"[Ee]xpected (\d)D ", _rank),
    (r"must be a (\d)D tensor", _rank),
    (r"[Ee]xpected (\d) dims", _rank),
    (r"is not equal to len\(dims\) = (\d)", _rank),
    (r"subscripts in the equation \((\d)\) does not match the number of dim", _rank),
    (r"Dimension out of range \(.*but got (\d)\)", _rank_above),
    (r"tuple index out of range", _one_more),
    (r"tensor a \((\d+)\) must match the size of tensor b \((\d+)\).* dimension (\d+)", _matching),
)


def corrected(source: str, error: Exception) -> str:
    """The tensor that `error` asks for instead of `source`; `source` if it does not say."""
    guess, message = TensorGuess.of(source), str(error)
    if guess is None:
        return source
    for pattern, change in RULES:
        if found := re.search(pattern, message, re.S):
            return change(guess, tuple(map(int, found.groups()))).source
    return source
