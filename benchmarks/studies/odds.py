"""How often an honest answer is refused for its random numbers.

    python benchmarks/studies/odds.py

1. A constructor's draws (`grader/judge/initial_state.py`), for the fewest numbers that are judged.
   The result is exact for normal numbers: their sum of squares has a chi-squared distribution.
2. What `forward` draws (`grader/judge/distribution.py`). Two samples of the same distribution are
   compared many times; printed is how far their moments lie apart, in standard errors. If that were
   a normal variable, the last column would follow from its deviation.
"""

from __future__ import annotations

import math

import torch

from grader.judge import initial_state
from grader.judge.distribution import STANDARD_ERRORS, errors_apart
from grader.judge.initial_state import FACTOR, FEWEST_DRAWN
from grader.probe.steps.noise import CALLS, COPIES, moments
from grader.schema.evidence import Noise, Values

COMPARISONS = 20_000
DISTRIBUTIONS = {
    "normal": lambda *shape: torch.randn(*shape),
    "uniform": lambda *shape: torch.rand(*shape),
    "normal through SiLU": lambda *shape: torch.nn.functional.silu(torch.randn(*shape)),
    "product of two normals": lambda *shape: torch.randn(*shape) * torch.randn(*shape),
}


def tail(deviations: float) -> float:
    """How often a normal variable is further from its mean than so many deviations."""
    return math.erfc(deviations / math.sqrt(2))


def constructor() -> None:
    """The mean against the solution's, which has the same error; the size against a factor."""
    n = torch.tensor(float(FEWEST_DRAWN), dtype=torch.float64)
    mean = tail(initial_state.STANDARD_ERRORS)
    too_large = torch.special.gammaincc(n / 2, n * FACTOR**2 / 2)
    too_small = torch.special.gammainc(n / 2, n / FACTOR**2 / 2)
    print(f"constructor, {FEWEST_DRAWN} normal numbers")
    print(f"  mean refused: once in {1 / mean:.1e}")
    print(f"  size refused: {float(too_large + too_small):.1e} of the time")


def sample(draw: object, draws: int) -> Noise:
    """One output of many numbers, each drawn so often."""
    every = draw(draws, COMPARISONS // 100).double()  # type: ignore[operator]
    parts = [Values.of(moment.tolist()) for moment in moments(every)]
    mean, deviation, kurtosis = parts
    total = Values.of([1, 3])
    return Noise("eval", "output", draws, draws, mean, deviation, kurtosis, total)


def calls() -> None:
    """The distance of two samples of the same distribution, in standard errors."""
    print("forward, two samples of the same distribution")
    print(f"  {'distribution':24}{'draws':>7}{'deviation':>11}{'largest':>9}  refused")
    for name, draw in DISTRIBUTIONS.items():
        for draws in (CALLS, CALLS * COPIES):
            apart = torch.tensor(
                [
                    error
                    for _ in range(100)
                    for error in errors_apart(sample(draw, draws), sample(draw, draws))
                ]
            )
            spread = apart.square().mean(dim=0).sqrt().max().item()
            largest = apart.abs().max().item()
            odds = tail(STANDARD_ERRORS / spread)
            print(f"  {name:24}{draws:>7}{spread:>11.2f}{largest:>9.1f}  {odds:.0e}")


if __name__ == "__main__":
    torch.manual_seed(0)
    torch.set_num_threads(1)
    constructor()
    calls()
