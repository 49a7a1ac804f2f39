"""What a new instance begins with, from evidence written by hand."""

import pytest
from literal import EXPECTED, MEAN, RUBRIC, WEIGHT, evidence, output, replace

from grader.judge.initial_state import Initial, InitialState, problems_of_initial_state
from grader.schema import Drawn, FirstCalls, OtherInstance, Raised, Run, State, Values

EIGHT = Values.of(range(8))
TWO = (EIGHT, Values.of(range(1, 9)))
RANDOM = Initial("weight", (8,), True, True, None, mean=0.0, scale=1.0)
FIXED = Initial("running_mean", (2,), False, True, Values.of([1.0, 2.0]), 0.0, 0.0)
FREE = replace(RUBRIC, names_matter=False)
RAISED = Raised("ValueError", "no", 12)
OTHER = replace(RUBRIC, recipe=replace(RUBRIC.recipe, other_arguments={"features": 9}))


def problems(first_calls, beginning, rubric=RUBRIC, tensors=(WEIGHT, MEAN)):
    seen = evidence(*tensors, first_calls=first_calls)
    return list(problems_of_initial_state(seen, rubric, beginning))


def drawn(mean, size, count=10_000, values=EIGHT, expected=RANDOM):
    """The problems of a Parameter of such a mean and root mean square, over many seeds."""
    sample = Drawn("weight", count, Values.of([mean, size]))
    first_calls = FirstCalls((State("weight", values),), drawn=(sample,))
    return problems(first_calls, InitialState((expected,)))


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([1.0, 2.0], []),
        ([1.0, 2.0, 3.0], []),  # `forward` judges another shape
        ([1.0, 3.5], [(
            "buffers",
            "`__init__` gives `running_mean` other values: 1 of 2 differ (the first is 3.5; "
            "expected: 2)",
        )]),
    ],
)  # fmt: skip
def test_values_that_no_seed_changes_are_compared(values, expected):
    first_calls = FirstCalls((State("running_mean", Values.of(values)),))

    assert problems(first_calls, InitialState((FIXED,))) == expected
    assert problems(first_calls, InitialState((replace(FIXED, persistent=False),))) == []
    assert problems(first_calls, InitialState((FIXED,)), tensors=(WEIGHT,)) == []
    assert problems(first_calls, InitialState((replace(FIXED, name="other"),))) == []


def test_a_check_that_the_exercise_does_not_score_is_forward():
    first_calls = FirstCalls((State("running_mean", Values.of([0.0, 0.0])),))
    rubric = replace(RUBRIC, points={"parameters": 1, "forward": 1})

    for initial, check in ((FIXED, "forward"), (replace(FIXED, is_parameter=True), "parameters")):
        ((found, _),) = problems(first_calls, InitialState((initial,)), rubric)
        assert found == check


def test_a_tensor_that_should_be_random_is():
    ones = Values.of([0.5] * 8)

    assert drawn(0.5, 0.5, values=ones) == [
        ("parameters", "`weight` begins with 0.5 everywhere; expected: random numbers")
    ]
    few = replace(RANDOM, shape=(7,))
    assert drawn(0.0, 1.0, values=Values.of([0.5] * 7), expected=few) == []


@pytest.mark.parametrize(
    ("mean", "size", "count", "expected"),
    [
        (0.0, 6.0, 10_000, ""),
        (0.0, 6.1, 10_000, "are of another size: about 6.1; expected: about 1"),
        (0.0, 0.16, 10_000, "are of another size: about 0.16; expected: about 1"),
        (0.0, 6.1, 200, "another size"),
        (0.0, 6.1, 199, ""),  # too few
        (0.0, 1 / 6, 10_000, ""),
        (0.3, 1.0, 10_000, ""),
        (0.31, 1.0, 10_000, "are 0.31 on average; expected: 0"),
        (-0.31, 1.0, 10_000, "are -0.31 on average; expected: 0"),
        (0.59, 2.0, 10_000, ""),
        (0.61, 2.0, 10_000, "0.61 on average"),
        (0.29, 0.5, 10_000, ""),
        # 6.5 standard errors: 6.5 * sqrt(1 + 1) / sqrt(200) is 0.65.
        (0.64, 1.0, 200, ""),
        (0.66, 1.0, 200, "0.66 on average"),
    ],
)
def test_random_numbers_have_about_the_scale_and_the_mean_of_the_solutions(
    mean, size, count, expected
):
    found = [message for _, message in drawn(mean, size, count)]

    assert bool(found) is bool(expected)
    assert expected in "".join(found)


def test_means_are_compared_with_the_solutions():
    expected = replace(RANDOM, mean=1.0)

    assert drawn(1.2, 1.0, expected=expected) == []
    assert "expected: 1" in drawn(0.6, 1.0, expected=expected)[0][1]


def named(name, values=EIGHT):
    return State(name, values), replace(WEIGHT, path=f"self.{name}", name=name)


def free(sizes, initials, values=TWO):
    """The problems of Parameters whose names are free, each of a mean of 2 and such a size."""
    entries = [named(f"p{i}", number) for i, number in zip(range(len(sizes)), values, strict=False)]
    samples = [Drawn(f"p{i}", 10_000, Values.of([2.0, size])) for i, size in enumerate(sizes)]
    first_calls = FirstCalls(tuple(state for state, _ in entries), drawn=tuple(samples))
    facts = tuple(fact for _, fact in entries)
    return [m for _, m in problems(first_calls, InitialState(initials), FREE, facts)]


def test_where_names_are_free_parameters_of_a_shape_are_compared_with_their_average():
    # The root of the mean of 1 and 49 is 5; the mean of 1 and 3 is 2.
    two = (replace(RANDOM, mean=1.0), replace(RANDOM, name="b", mean=3.0, scale=7.0))

    assert free((29.0, 5.0), two) == []
    assert "`p0` begins with are of another size" in free((31.0, 5.0), two)[0]
    assert "`p1` begins with are of another size" in free((5.0, 0.82), two)[0]
    assert free((31.0,), two) == []  # another number of them
    assert free((31.0, 5.0), (replace(two[0], shape=(9,)), two[1])) == []
    assert free((31.0, 5.0), (replace(two[0], values=EIGHT), two[1])) == []
    assert free((31.0, 5.0), tuple(replace(fact, is_parameter=False) for fact in two)) == []


def test_where_names_are_free_no_two_parameters_begin_alike():
    two = (replace(RANDOM, mean=2.0), replace(RANDOM, name="b", mean=2.0))
    short = tuple(replace(fact, shape=(7,)) for fact in two)
    seven = Values.of(range(7))

    assert free((1.0, 1.0), two, (EIGHT, EIGHT)) == [
        "`p0` and `p1` begin with the same numbers: draw each"
    ]
    assert free((1.0, 1.0), short, (seven, seven)) == []


def calls(*runs, **changes):
    return FirstCalls(runs=tuple(Run("cpu", *run) for run in runs), **changes)


def test_the_first_calls_give_what_the_solutions_give():
    wrong = (output(numbers=(1.0, 9.0)),)
    right = InitialState(outputs=(EXPECTED,) * 2, random=((), ("output",)))

    assert problems(calls((None, EXPECTED), (None, wrong)), right) == []  # noise may differ
    ((check, message),) = problems(calls((None, wrong), (RAISED, ())), right)
    assert check == "forward"
    assert message.startswith("a new instance, called in eval mode with the values that `__init__`")
    ((_, message),) = problems(calls((None, EXPECTED), (RAISED, ())), right)
    assert message == "a new instance, called in train mode, raised ValueError in line 12: no"


def other(raised=None, outputs=EXPECTED, random=(), rubric=OTHER):
    instance = OtherInstance(Run("cpu", raised, outputs))
    beginning = InitialState(outputs=(EXPECTED,), random=((),), other=EXPECTED, other_random=random)
    return [m for _, m in problems(FirstCalls(other=instance), beginning, rubric)]


def test_an_instance_with_other_arguments_gives_what_the_solutions_gives():
    wrong = (output(numbers=(1.0, 9.0)),)

    assert other() == []
    assert other(outputs=wrong, random=("output",)) == []
    none = replace(RUBRIC, recipe=replace(RUBRIC.recipe, other_arguments=None))
    assert other(outputs=wrong, rubric=none) == []
    (message,) = other(outputs=wrong)
    assert message.startswith("an instance with `features=9`, on the CPU: 1 of 2 numbers in output")
    assert message.endswith("Does `__init__` use its arguments?")
    assert other(RAISED) == [
        "an instance with `features=9`, on the CPU, raised ValueError in line 12: no"
    ]
    assert other(outputs=(output("cuda:0"), output("cuda:0"))) == [
        "an instance with `features=9`, on the CPU, gave output on cuda:0"
    ]


def test_arguments_that_are_the_same_are_not_named():
    arguments = {**RUBRIC.recipe.arguments, "bias": True}
    others = {"features": 9, "bias": True}
    recipe = replace(OTHER.recipe, arguments=arguments, other_arguments=others)

    (message,) = other(RAISED, rubric=replace(OTHER, recipe=recipe))
    assert message.startswith("an instance with `features=9`, on")


def test_later_calls_are_judged_too():
    attached = replace(MEAN, name="mean", requires_grad=True, is_leaf=False)
    found = problems(FirstCalls(resized=RAISED, left=(attached,)), InitialState((FIXED,)))

    assert [check for check, _ in found] == ["forward", "forward"]
    assert found[0][1].endswith("`forward` raised ValueError in line 12: no")
    assert found[1][1].startswith("after a call in train mode, autograd tracks `mean`")
    assert problems(FirstCalls(resized=RAISED), InitialState()) == []
