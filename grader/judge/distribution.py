"""Whether what `forward` draws has the distribution that the solution's draws have.

Both were called many times with the same inputs and other seeds, so both samples are independent.
Each moment is compared in units of the standard error of the difference.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from grader.judge.wording import apart
from grader.schema import Noise

# A normal variable is further than 7 standard deviations from its mean once in 4e11 draws. A sample
# moment has longer tails than that: benchmarks/studies/odds.py at commit 8525173b measured them.
STANDARD_ERRORS = 7.0
EXPONENT = 25  # see `_are_shifted`; exp(25) is 7e10
CONSTANT = 1e-6  # a smaller standard deviation is rounding
# How a mean, a standard deviation and a kurtosis differ, in words.
DIFFERS = (
    "a number is {} on average; expected: about {}",
    "a number's standard deviation is {}; expected: about {}",
    "a number's kurtosis is {}; expected: about {}",
)


def wrong_noise(
    actual_noises: tuple[Noise, ...], expected_noises: tuple[Noise, ...]
) -> Iterator[str]:
    """The first output whose distribution over seeds differs from the solution's.

    Args:
        actual_noises: moments of the learner's outputs, over many calls with different seeds.
        expected_noises: the same of the solution's, which says what has to vary.

    Yields:
        at most one message.
    """
    actual_by_path = {(noise.mode, noise.path): noise for noise in actual_noises}
    for expected in expected_noises:
        actual = actual_by_path.get((expected.mode, expected.path))
        if actual is None:
            yield (
                f"in {expected.mode} mode {expected.path} is the same in every call, whatever the "
                "seed: draw new random numbers in each call"
            )
            return
        if actual.mean.shape != expected.mean.shape:
            return  # `outputs.differences` reports the shape
        if problem := _wrong_moments(actual, expected):
            yield (
                f"in {expected.mode} mode {expected.path} varies in another way from call to call: "
                f"{problem}. Is it the same distribution, and are there as many draws?"
            )
            return


Moments = tuple[float, float, float]


def errors_apart(actual: Noise, expected: Noise) -> Iterator[Moments]:
    """How far mean, deviation and kurtosis of each number are apart, in standard errors."""
    for a, b in zip(_moments(actual), _moments(expected), strict=True):
        yield _differences_in_errors(a, b, actual.draws, expected.draws)


def _wrong_moments(actual: Noise, expected: Noise) -> str:
    """What differs, `""` if nothing does.

    1. Each number's mean, standard deviation and kurtosis, over all draws.
    2. The means of all rows of a column together: a shift too small for one number shows in many.
    3. The standard deviation of the sum over the whole tensor: one draw that is broadcast to all
       numbers has the right moments everywhere, but its sum varies far more.
    """
    pairs = zip(errors_apart(actual, expected), _moments(actual), _moments(expected), strict=True)
    for moments in pairs:
        for words, error, number, right_number in zip(DIFFERS, *moments, strict=True):
            if not abs(error) < STANDARD_ERRORS:  # NaN is not
                return words.format(*apart(number, right_number, 3))
    if actual.draws > actual.calls and expected.draws > expected.calls:
        means = [errors[0] for errors in errors_apart(actual, expected)]
        if _are_shifted(means, rows=actual.mean.shape[0]):
            return "the numbers are larger or smaller on average, if by little"
    (deviation, kurtosis), (right, right_kurtosis) = (
        actual.total.numbers(),
        expected.total.numbers(),
    )
    totals = (0.0, deviation, kurtosis), (0.0, right, right_kurtosis)
    if not abs(_differences_in_errors(*totals, actual.calls, expected.calls)[1]) < STANDARD_ERRORS:
        numbers = apart(deviation, right, 3)
        return "the sum's standard deviation is {}; expected: about {}".format(*numbers)
    return ""


def _are_shifted(means: list[float], rows: int) -> bool:
    """Whether the means of independent rows, too close to tell one by one, differ together.

    For each column, the sum of the squared errors has a chi-squared distribution with a degree of
    freedom for each row. It exceeds the limit less than once in exp(EXPONENT) times (Laurent and
    Massart, 2000, lemma 1).
    """
    limit = rows + 2 * math.sqrt(rows * EXPONENT) + 2 * EXPONENT
    columns = len(means) // rows
    return any(
        sum(error * error for error in means[column::columns]) > limit for column in range(columns)
    )


def _moments(noise: Noise) -> list[Moments]:
    moments = (noise.mean, noise.deviation, noise.kurtosis)
    return list(zip(*(moment.numbers() for moment in moments), strict=True))


def _differences_in_errors(
    actual: Moments, expected: Moments, actual_draws: int, expected_draws: int
) -> Moments:
    """The differences of two samples' moments, each over its standard error.

    Of n numbers with deviation s and kurtosis k, the mean has the error s/sqrt(n), the logarithm of
    the deviation sqrt((k - 1)/4n), and that of the kurtosis, if they are normal, sqrt(24/9n). More
    pointed ones have a larger error, for which the square of k/3 is a rough measure.
    """
    (mean, deviation, kurtosis), (right_mean, right, right_kurtosis) = actual, expected
    if right < CONSTANT:  # a number that does not vary
        is_alike = deviation < 10 * CONSTANT and abs(mean - right_mean) < 10 * CONSTANT
        return (0.0, 0.0, 0.0) if is_alike else (math.inf, math.inf, math.inf)
    if not deviation > 0:
        return 0.0, math.inf, math.inf
    both, peak = 1 / actual_draws + 1 / expected_draws, max(kurtosis, right_kurtosis, 2.0)
    return (
        (mean - right_mean)
        / math.hypot(deviation / actual_draws**0.5, right / expected_draws**0.5),
        math.log(deviation / right) / math.sqrt((peak - 1) / 4 * both),
        math.log(kurtosis / right_kurtosis) / math.sqrt(24 / 9 * max(peak / 3, 1) ** 4 * both),
    )
