"""Noise is judged by its distribution: honest noise is never accused, other noise always is."""

import math

import pytest
import torch

from grader.judge.distribution import wrong_noise
from grader.probe.steps.noise import CALLS, COPIES, noise_in
from grader.schema import Noise, Values

BATCH, FEATURES = 3, 4
SEEDS = range(100)


def normal(rows):
    return torch.randn(rows, FEATURES)


def noise(draw, seed=0, scale=1.0):
    """What the probe would note of an output that `draw` gives for so many rows."""
    torch.manual_seed(seed)
    rows = BATCH * COPIES
    return tuple(noise_in([scale * draw(rows) for _ in range(CALLS)], "eval", BATCH))


@pytest.fixture(scope="module")
def reference():
    return noise(normal, seed=1_000_000)


HONEST = {
    "drawn on the way": normal,
    "filled in place": lambda rows: torch.empty(rows, FEATURES).normal_(),
    "the other sign": lambda rows: -normal(rows),
    "a distribution": lambda rows: torch.distributions.Normal(
        torch.zeros(rows, FEATURES), 1.0
    ).sample(),
}
OTHER = {
    "uniform": (lambda rows: torch.rand(rows, FEATURES), "on average"),
    "of the same mean and deviation": (
        lambda rows: (torch.rand(rows, FEATURES) - 0.5) * math.sqrt(12),
        "kurtosis",
    ),
    "signs": (lambda rows: normal(rows).sign(), "kurtosis"),
    "shifted": (lambda rows: normal(rows) + 0.2, "on average"),
    "a thousandth": (lambda rows: 0.001 * normal(rows), "standard deviation"),
    "a tenth more": (lambda rows: 1.1 * normal(rows), "standard deviation"),
    "one draw for a row": (lambda rows: normal(rows)[:, :1].expand(-1, FEATURES), "the sum's"),
    "one draw for the batch": (lambda rows: normal(1).expand(rows, -1), "the sum's"),
    "none": (lambda rows: torch.zeros(rows, FEATURES), "the same in every call"),
}


@pytest.mark.parametrize("draw", HONEST.values(), ids=HONEST)
def test_honest_noise_is_not_accused(draw, reference):
    assert list(wrong_noise(noise(draw), reference)) == []


def test_honest_noise_is_not_accused_with_any_seed(reference):
    torch.manual_seed(0)
    for _ in SEEDS:
        every = torch.randn(CALLS * COPIES, BATCH * FEATURES)
        (ours,) = reference
        kurtosis = every.pow(4).mean(dim=0) / every.square().mean(dim=0).square()
        moments = (every.mean(dim=0), every.std(dim=0), kurtosis)
        shape = (BATCH, FEATURES)
        values = [Values.of(moment.tolist(), shape) for moment in moments]
        drawn = Noise("eval", "output", CALLS, len(every), *values, ours.total)

        assert list(wrong_noise((drawn,), reference)) == []


@pytest.mark.parametrize(("draw", "message"), OTHER.values(), ids=OTHER)
def test_other_noise_is_accused(draw, message, reference):
    (problem,) = wrong_noise(noise(draw), reference)

    assert message in problem


def test_a_number_that_does_not_vary_is_compared_as_it_is():
    def half(shift):
        return lambda rows: torch.cat([torch.full((rows, 1), shift), torch.randn(rows, 1)], dim=1)

    expected = noise(half(1.0), seed=1)

    assert list(wrong_noise(noise(half(1.0)), expected)) == []
    assert "1.5 on average" in next(wrong_noise(noise(half(1.5)), expected))


def test_one_draw_for_a_batch_is_not_accused_where_the_solution_does_it_too():
    def shared(rows):
        return torch.randn(1, FEATURES).expand(rows, -1)

    (mine,), (ours,) = noise(shared), noise(shared, seed=1)

    assert (mine.draws, ours.draws) == (CALLS, CALLS)
    assert list(wrong_noise((mine,), (ours,))) == []


def test_means_that_are_off_a_little_in_each_row_are_accused_together(reference):
    (problem,) = wrong_noise(noise(lambda rows: normal(rows) + 0.05), reference)

    assert "larger or smaller on average" in problem


def test_nan_is_not_a_mean():
    def broken(rows):
        return normal(rows) / 0 * 0

    assert list(wrong_noise(noise(broken), noise(normal, seed=1)))
