"""Whether what `forward` draws has the distribution that the solution's draws have.

Both were called many times with the same inputs and other seeds, so both samples are independent.
Each moment is compared in units of the standard error of the difference.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import starmap

from grader.evidence import Noise

# A normal variable is further than 7 standard deviations from its mean once in 4e11 draws. A sample
# moment has longer tails than that: benchmarks/odds.py counts how often an honest answer fails.
STANDARD_ERRORS = 7.0
ROUNDING = 1e-6


def wrong_noise(drawn: tuple[Noise, ...], wanted: tuple[Noise, ...]) -> Iterator[str]:
    """The first output that varies in another way than the solution's, in words."""
    theirs = {(each.mode, each.path): each for each in drawn}
    for ours in wanted:
        mine = theirs.get((ours.mode, ours.path))
        if mine is None:
            yield (
                f"in {ours.mode} mode {ours.path} is the same in every call, whatever the seed: "
                "draw new random numbers in each call"
            )
            return
        if mine.mean.shape != ours.mean.shape:
            return  # said elsewhere
        if problem := _wrong_moments(mine, ours):
            yield (
                f"in {ours.mode} mode {ours.path} varies in another way from call to call: "
                f"{problem}. Is it the same distribution, and one draw for each number?"
            )
            return


def _wrong_moments(mine: Noise, ours: Noise) -> str:
    pairs = zip(_moments(mine), _moments(ours), strict=True)
    problems = starmap(_wrong_number, ((a, b, mine.draws, ours.draws) for a, b in pairs))
    if problem := next(filter(None, problems), ""):
        return problem
    (deviation, kurtosis), (right, right_kurtosis) = mine.total.numbers(), ours.total.numbers()
    shape = max(kurtosis, right_kurtosis)
    if not _is_alike(deviation, right, _error_of_deviation(shape, mine.calls, ours.calls)):
        return f"the sum's standard deviation is {deviation:.3g}; wanted: about {right:.3g}"
    return ""


Moments = tuple[float, float, float]


def _moments(noise: Noise) -> list[Moments]:
    parts = (noise.mean, noise.deviation, noise.kurtosis)
    return list(zip(*(each.numbers() for each in parts), strict=True))


def _wrong_number(mine: Moments, ours: Moments, draws: int, our_draws: int) -> str:
    """Which moment of one number is off by too many standard errors."""
    (mean, deviation, kurtosis), (right_mean, right, right_kurtosis) = mine, ours
    error = math.hypot(deviation / math.sqrt(draws), right / math.sqrt(our_draws))
    if not abs(mean - right_mean) <= STANDARD_ERRORS * error + ROUNDING:  # NaN is not
        return f"a number is {mean:.3g} on average; wanted: about {right_mean:.3g}"
    shape = max(kurtosis, right_kurtosis)
    if not _is_alike(deviation, right, _error_of_deviation(shape, draws, our_draws)):
        return f"a number's standard deviation is {deviation:.3g}; wanted: about {right:.3g}"
    if right > ROUNDING and not _is_alike(
        kurtosis, right_kurtosis, _error_of_kurtosis(right_kurtosis, draws, our_draws)
    ):
        return f"a number's kurtosis is {kurtosis:.3g}; wanted: about {right_kurtosis:.3g}"
    return ""


def _is_alike(mine: float, right: float, error: float) -> bool:
    """Whether the two differ by few errors; `error` is that of the logarithm of their ratio."""
    if right < ROUNDING:
        return mine < 10 * ROUNDING
    return mine > 0 and abs(math.log(mine / right)) < STANDARD_ERRORS * error


def _error_of_deviation(kurtosis: float, draws: int, our_draws: int) -> float:
    """The standard error of log(s1/s2): a sample variance has the relative variance (k - 1)/n."""
    return math.sqrt(max(kurtosis - 1, 1) / 4 * (1 / draws + 1 / our_draws))


def _error_of_kurtosis(kurtosis: float, draws: int, our_draws: int) -> float:
    """The standard error of log(k1/k2) for nearly normal numbers, where k has variance 24/n."""
    return math.sqrt(24 * max(kurtosis / 3, 1) ** 2 * (1 / draws + 1 / our_draws)) / 3
