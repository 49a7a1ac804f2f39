"""A search keeps each change that gets a failing call farther."""

import pytest

from grader.auditing.survey.package.climbing import MOST_TRIALS, FailedTrial, climbed, written


def build(width, names, rank=0):
    if width % 4:
        raise ValueError("width must be divisible by 4")
    for name in names:
        name.upper()
    if rank <= 0:
        raise ValueError(f"`rank` should be positive, but is {rank}")


def trial(values):
    try:
        eval(f"build({written(values)})", {"build": build})
    except Exception as error:
        return FailedTrial(error)
    return None


CANDIDATES = {"width": ["6", "8"], "names": ["3", "[1]", "['a']"], "rank": ["0", "2"]}


def test_it_changes_what_fails_and_keeps_what_works():
    values, failure = climbed({"width": "6", "names": "3"}, CANDIDATES, trial, 5)

    assert (values, failure) == ({"width": "8", "names": "['a']", "rank": "2"}, None)


def test_it_adds_what_is_missing():
    values, failure = climbed({}, CANDIDATES, trial, 5)

    assert (values["width"], failure) == ("8", None)


def test_without_a_change_that_gets_farther_it_says_why():
    values, failure = climbed({"width": "8", "names": "3"}, {"names": ["4", "5"]}, trial, 5)

    assert values == {"width": "8", "names": "3"}
    assert isinstance(failure.error, TypeError)


@pytest.mark.parametrize(("seconds", "most"), [(5, MOST_TRIALS), (0, 1)])
def test_it_ends(seconds, most):
    trials = []

    def fails(values):
        trials.append(values)
        return FailedTrial(ValueError("width"))

    climbed({"width": "0"}, {"width": [str(size) for size in range(1000)]}, fails, seconds)

    assert len(trials) == most
