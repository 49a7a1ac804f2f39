"""The points of an answer that has fixed some of the starter's faults, and not all."""

import pytest

from grader.judge.scoring import share
from grader.schema import Check, Finding

FAULTS = ("self.mean", "self.std")
CHECKS = (
    Check("buffers", False, 0, 3, "`std` is not registered"),
    Check("forward", True, 2, 2, "the right numbers"),
    Check.not_run("training", 2, "the call raised"),
)


def errors(*places):
    return [Finding("member-tensor", "error", place, 1, "", "") for place in places]


def test_each_failed_check_has_the_share_of_what_is_fixed_rounded_down():
    shared, fixed = share(CHECKS, errors("self.std"), FAULTS)

    assert [check.points for check in shared] == [1, 2, 0]
    assert [check.passed for check in shared] == [False, True, False]
    assert fixed == "1 of 2 faults fixed"


@pytest.mark.parametrize(
    "left",
    [
        errors(*FAULTS),
        errors("self.scale"),  # a fault of one's own
        errors(),  # the check fails for another reason
    ],
)
def test_nothing_is_shared_where_nothing_was_fixed_or_something_else_is_wrong(left):
    assert share(CHECKS, left, FAULTS) == (CHECKS, "")
    assert share(CHECKS, left, ()) == (CHECKS, "")
