"""How far two samples of noise are apart, from moments written by hand."""

import math

import pytest
from msgspec.structs import replace

from grader.judge.distribution import CONSTANT, errors_apart, wrong_noise
from grader.schema import Noise, Values

ROWS, COLUMNS = 4, 2


def noise(mean=0.0, deviation=1.0, kurtosis=3.0, *, draws=400, calls=100, total=(1.0, 3.0)):
    """The moments of one number."""
    moments = (Values.of([moment], (1, 1)) for moment in (mean, deviation, kurtosis))
    return Noise("eval", "output", calls, draws, *moments, Values.of(total))


def the_errors(actual, expected):
    (errors,) = errors_apart(actual, expected)
    return errors


def test_moments_are_apart_by_the_standard_errors_of_both_samples():
    actual, expected = noise(0.5, 2.0, 6.0), noise(0.25, 1.0, 3.0, draws=100)

    both = 1 / 400 + 1 / 100
    assert the_errors(actual, expected) == pytest.approx(
        (
            0.25 / math.hypot(2 / 20, 1 / 10),
            math.log(2) / math.sqrt(5 / 4 * both),
            math.log(2) / math.sqrt(24 / 9 * 2**4 * both),
        )
    )


def test_flat_distributions_count_as_if_they_had_a_kurtosis_of_two_and_an_error_of_normal_ones():
    both = 1 / 400 + 1 / 400
    assert the_errors(noise(0.0, 2.0, 1.5), noise(0.0, 1.0, 1.2)) == pytest.approx(
        (0.0, math.log(2) / math.sqrt(both / 4), math.log(1.25) / math.sqrt(24 / 9 * both))
    )


@pytest.mark.parametrize(
    ("mean", "deviation", "is_alike"),
    [
        (0.5 + 9 * CONSTANT, 9 * CONSTANT, True),
        (0.5 - 11 * CONSTANT, 0.0, False),
        (0.5, 10 * CONSTANT, False),
        (0.5, 1.0, False),
    ],
)
def test_what_does_not_vary_is_alike_or_infinitely_far_away(mean, deviation, is_alike):
    errors = the_errors(noise(mean, deviation), noise(0.5, CONSTANT / 2))

    assert errors == ((0.0, 0.0, 0.0) if is_alike else (math.inf, math.inf, math.inf))


def test_what_varies_in_the_solution_alone_is_infinitely_far_away():
    assert the_errors(noise(deviation=0.0), noise(deviation=CONSTANT)) == (0.0, math.inf, math.inf)


@pytest.mark.parametrize(
    ("actual", "message"),
    [
        (noise(mean=0.49), ""),
        (noise(mean=0.51), "a number is 0.51 on average; expected: about 0"),
        (noise(mean=-0.51), "a number is -0.51 on average"),
        (noise(deviation=1.41), ""),
        (noise(deviation=1.43), "standard deviation is 1.43; expected: about 1"),
        (noise(deviation=0.7), "standard deviation is 0.7; expected: about 1"),
        (noise(kurtosis=6.5), ""),
        (noise(kurtosis=1.3), "a number's kurtosis is 1.3; expected: about 3"),
        (noise(total=(1.9, 3.0)), ""),
        (noise(total=(2.1, 3.0)), "the sum's standard deviation is 2.1; expected: about 1"),
        (noise(total=(0.48, 3.0)), "the sum's standard deviation is 0.48; expected: about 1"),
    ],
)
def test_seven_standard_errors_are_accused(actual, message):
    problems = list(wrong_noise((actual,), (noise(),)))

    assert bool(problems) is bool(message)
    assert message in "".join(problems)


def test_of_several_outputs_each_is_compared_and_the_first_that_is_wrong_is_told():
    def at(path, mode="eval", **changes):
        return replace(noise(**changes), mode=mode, path=path)

    expected = (at("output[0]"), at("output[1]"), at("output[1]", "train"))
    wrong = at("output[1]", "train", deviation=9.0)

    (problem,) = wrong_noise((at("output[0]"), wrong, at("output[1]")), expected)
    assert problem.startswith("in train mode output[1] varies in another way")
    (problem,) = wrong_noise((at("output[0]"), wrong), expected)
    assert problem.startswith("in eval mode output[1] is the same in every call")


def table(errors, *, draws=400, calls=100):
    """Moments of a table whose means are so many standard errors off."""
    numbers = [error * math.sqrt(2 / draws) for row in errors for error in row]
    shape, count = (ROWS, COLUMNS), ROWS * COLUMNS
    moments = (Values.of(column, shape) for column in (numbers, [1.0] * count, [3.0] * count))
    return Noise("eval", "output", calls, draws, *moments, Values.of([1.0, 3.0]))


@pytest.mark.parametrize(
    ("errors", "is_shifted"),
    [
        ([(0, 4.2)] * 4, False),
        ([(0, 4.4)] * 4, True),
        ([(-4.4, 0)] * 4, True),
        ([(4.4, 4.4), (4.4, 4.4), (0, 0), (0, 0)], False),
    ],
)
def test_the_means_of_all_rows_of_a_column_are_off_together(errors, is_shifted):
    # 4 + 2 * sqrt(4 * 25) + 2 * 25 is 74, and 4 * 4.3 ** 2 is as much.
    right = table([(0, 0)] * 4)
    problems = list(wrong_noise((table(errors),), (right,)))

    assert bool(problems) is is_shifted
    assert all("larger or smaller on average" in problem for problem in problems)


def test_rows_that_share_their_draws_are_not_added_up():
    right, shifted = table([(0, 0)] * 4), table([(0, 4.4)] * 4)
    shared = [table([(0, error)] * 4, draws=400, calls=400) for error in (0, 4.4)]

    assert list(wrong_noise((shared[1],), (shared[0],))) == []
    assert list(wrong_noise((shared[1],), (right,))) == []
    assert list(wrong_noise((shifted,), (shared[0],))) == []
