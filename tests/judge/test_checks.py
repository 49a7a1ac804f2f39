"""Each check, from evidence written by hand."""

import math

import pytest
from literal import EXPECTED, MEAN, MIXED, ONES, RUBRIC, WEIGHT, evidence, fact, output, replace

from grader.course.rubrics import load_rubric
from grader.judge.checks import GradedAnswer, run_checks
from grader.judge.diagnosis import sightings
from grader.schema import Checkpoint, Placed, Raised, Run, Trained, Training, Values
from grader.schema.report import Check

NAN = (output(numbers=(1.0, float("nan"))),)


def check(name: str, *tensors, rubric=RUBRIC, expected=EXPECTED, **changes) -> Check:
    seen = evidence(*tensors, **changes)
    audited = sightings(seen) if seen.is_audited else ()
    checks = run_checks(GradedAnswer(seen, rubric, expected, audited))
    return next(check for check in checks if check.name == name)


def test_a_right_answer_passes_every_check_and_gets_every_point():
    checks = run_checks(GradedAnswer(evidence(), RUBRIC, EXPECTED))

    assert {check.name: check.points for check in checks} == RUBRIC.points
    assert all(check.passed and check.points == check.max_points for check in checks)
    assert all(check.message for check in checks)


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        (fact("weight"), "`weight` is not in `parameters()`"),
        (fact("weight", role="buffer"), "`weight` is not in `parameters()`"),
        (replace(WEIGHT, requires_grad=False), "requires_grad=False, so it is never trained"),
        (replace(WEIGHT, shape=(1, 5)), "`weight` has shape (1, 5); expected: (5,)"),
        (replace(WEIGHT, name="scale"), "`weight` is not in `parameters()`"),
    ],
)
def test_parameters_says_what_is_wrong_with_one(weight, message):
    found = check("parameters", weight, MEAN)

    assert not found.passed
    assert found.points == 0
    assert message in found.message


def test_parameters_has_no_place_for_one_more():
    bias = replace(WEIGHT, path="self.bias", name="bias", identity=99)

    found = check("parameters", WEIGHT, MEAN, bias)

    assert found.message == "trainable, though the exercise does not ask for it: `bias`"


@pytest.mark.parametrize(
    ("mean", "message"),
    [
        (fact("running_mean", name=""), "`running_mean` is not registered"),
        (replace(WEIGHT, name="running_mean", identity=4), "is a Parameter; it should be a buffer"),
        (replace(WEIGHT, name="running_mean"), "`running_mean` is a second name for `weight`"),
        (replace(MEAN, requires_grad=True), "is a buffer, but requires a gradient"),
        (replace(MEAN, persistent=False), "`state_dict()` leaves it out"),
        (replace(MEAN, shape=()), "`running_mean` has shape (); expected: (5,)"),
        (replace(MEAN, dtype="int64"), "`running_mean` has dtype int64; expected: float32"),
        (replace(MEAN, uniform=ONES), "`running_mean` has 1 everywhere at first; expected: 0"),
        (
            replace(MEAN, uniform=Values.of([-math.inf])),
            "has -inf everywhere at first; expected: 0",
        ),
        (replace(MEAN, uniform=None), "`running_mean` has other values at first; expected: 0"),
    ],
)
def test_buffers_says_what_is_wrong_with_one(mean, message):
    found = check("buffers", WEIGHT, mean)

    assert not found.passed
    assert message in found.message


def test_a_constant_may_be_a_frozen_parameter_but_not_a_trained_one():
    rubric = load_rubric("03_member_tensors")
    frozen = [fact(n, role="parameter", is_parameter=True, shape=(3,)) for n in ("mean", "std")]
    trained = [replace(fact, requires_grad=True) for fact in frozen]

    assert check("buffers", *frozen, rubric=rubric).passed
    assert not check("buffers", *trained, rubric=rubric).passed


def test_state_dict_names_the_keys_that_are_missing_and_those_too_many():
    found = check("state_dict", WEIGHT, replace(MEAN, name="mean"))

    assert "it lacks `running_mean`" in found.message
    assert "`mean` should not be in it" in found.message


@pytest.mark.parametrize(
    ("checkpoint", "message"),
    [
        (Checkpoint(Raised("KeyError", "'mean'", line=33)), "raised KeyError in line 33: 'mean'"),
        (Checkpoint(missing=("layers.2.weight",)), "loads it lacks `layers.2.weight`"),
        (Checkpoint(unexpected=("ema.0",)), "has no place for `ema.0`"),
        (
            Checkpoint(as_part=Checkpoint(unexpected=("ema",))),
            "where the module is part of a larger one, a fresh instance has no place for `ema`",
        ),
        (
            Checkpoint(before=EXPECTED, after=(output(numbers=(1.0, 2.1)),)),
            "a fresh instance that loaded it gives other outputs",
        ),
        (Checkpoint(before=NAN, after=NAN), "its outputs are NaN"),
    ],
)
def test_state_dict_must_bring_a_fresh_instance_to_the_same_outputs(checkpoint, message):
    found = check("state_dict", checkpoint=checkpoint)

    assert not found.passed
    assert message in found.message


def test_placement_names_the_move_and_what_stayed():
    found = check("placement", WEIGHT, fact("running_mean", name="", role="plain"))

    assert found.message == "after `.cuda()`, still on the CPU: `self.running_mean`"


def test_placement_fails_by_either_move():
    stayed = (Placed(".cuda()"), Placed('.to("cuda")', None, (WEIGHT,)))
    raised = (Placed(".cuda()"), Placed('.to("cuda")', Raised("TypeError", "no", 8)))

    assert 'after `.to("cuda")`' in check("placement", movements=stayed).message
    assert (
        '`.to("cuda")` raised TypeError in line 8: no'
        in check("placement", movements=raised).message
    )


def test_placement_lists_a_few_and_counts_the_rest():
    layers = [fact(f"w{i}", role="plain", name="") for i in range(9)]

    assert check("placement", *layers).message.endswith("`self.w3` and 5 more")


@pytest.mark.parametrize(
    ("on_cuda", "message"),
    [
        (output("cpu"), "the module was on CUDA, but output is on the CPU"),
        (output("cuda:0", (1.0, 2.5)), "1 of 2 numbers in output are not what"),
        (output("cuda:0", (1.0, float("nan"))), "1 of 2 numbers in output are not what"),
        (output("cuda:0", (1.0, 2.0, 3.0)), "output has shape (3,); expected: (2,)"),
        (output("", type="NoneType", shape=(), values=None), "is a `return` missing"),
        (output("", type="ndarray", shape=(), values=None), "is a NumPy array"),
        (output("", type="str", shape=(), values=None), "output is a str; expected: a Tensor"),
        (output("cuda:0", path="output[0]"), "returned output[0] a Tensor; expected: output"),
    ],
)
def test_forward_says_what_is_wrong_with_the_output(on_cuda, message):
    found = check("forward", runs=(Run("cpu", None, EXPECTED), Run("cuda", None, (on_cuda,))))

    assert not found.passed
    assert message in found.message


def test_forward_tells_of_cuda_first_and_of_one_thing_only():
    wrong = (output(numbers=(0.0, 0.0)),)

    found = check("forward", runs=(Run("cpu", None, wrong), Run("cuda", MIXED)))

    assert found.message.startswith("on CUDA, `forward` raised RuntimeError in line 30: Expected")
    assert "on the CPU" not in found.message


def test_forward_must_be_right_on_the_cpu_too():
    wrong = (output(numbers=(0.0, 0.0)),)

    found = check("forward", runs=(Run("cpu", None, wrong), Run("cuda", None, EXPECTED_ON_CUDA)))

    assert found.message.startswith("on the CPU, 2 of 2 numbers")


EXPECTED_ON_CUDA = (output("cuda:0"),)


@pytest.mark.parametrize(
    ("got", "equal"),
    [(1.00005, True), (1.001, False), (-1.0, False), (float("inf"), False), (1.0, True)],
)
def test_numbers_are_equal_within_a_tolerance(got, equal):
    runs = (Run("cpu", None, EXPECTED), Run("cuda", None, (output("cuda:0", (got, 2.0)),)))

    assert check("forward", runs=runs).passed is equal


def test_nan_is_never_right_though_the_learners_state_gives_it_to_the_solution_too():
    nan = (output(numbers=(float("nan"),)),)
    runs = (Run("cpu", None, nan), Run("cuda", None, (output("cuda:0", (float("nan"),)),)))

    assert not check("forward", runs=runs, expected=nan).passed


TRAINED_MEAN = Trained("running_mean", "buffer", False, False, True)
TRAINED_WEIGHT = Trained("weight", "parameter", True, True, True)
STILL_MEAN = replace(TRAINED_MEAN, changed=False)
OTHER = Trained("other", "parameter", True, True, True)


@pytest.mark.parametrize(
    ("training", "message"),
    [
        (Training(MIXED), "a training step raised RuntimeError in line 30"),
        (Training(None, (STILL_MEAN,)), "there is nothing to train"),
        (Training(None, (TRAINED_WEIGHT, TRAINED_MEAN)), "a training step changed `running_mean`"),
        (
            Training(None, (replace(TRAINED_WEIGHT, has_gradient=False), STILL_MEAN)),
            "no gradient reaches `weight`",
        ),
        (
            Training(None, (replace(TRAINED_WEIGHT, changed=False), STILL_MEAN)),
            "a step of SGD changed nothing in `weight`",
        ),
        (
            Training(None, (OTHER, replace(STILL_MEAN, name="weight", requires_grad=True))),
            "`weight` is a buffer, so nothing trains it",
        ),
        (
            Training(None, (OTHER, replace(TRAINED_WEIGHT, requires_grad=False))),
            "`weight` has requires_grad=False",
        ),
        (
            Training(None, (OTHER, STILL_MEAN)),
            "`weight` is not in `parameters()`",
        ),
    ],
)
def test_training_says_what_did_not_go_as_it_should(training, message):
    found = check("training", training=training)

    assert not found.passed
    assert message in found.message


def test_where_names_are_free_shapes_count():
    rubric = replace(RUBRIC, names_matter=False)
    renamed = (replace(WEIGHT, name="gain"), replace(MEAN, name="centre"))
    reshaped = (replace(WEIGHT, shape=(6,)), MEAN)

    assert check("parameters", *renamed, rubric=rubric).passed
    assert check("state_dict", *renamed, rubric=rubric).passed
    assert "no tensor of shape (5,)" in check("parameters", *reshaped, rubric=rubric).message
    assert "returns 0 tensors; expected: 1" in check("parameters", MEAN, rubric=rubric).message


@pytest.mark.parametrize("name", RUBRIC.points)
def test_what_was_not_reached_does_not_pass(name):
    nothing = {
        "structure": None,
        "movements": (),
        "runs": (),
        "training": None,
        "checkpoint": None,
    }

    assert check(name, **nothing) == Check(
        name, False, 0, 1, "not run: the grader did not get that far", "not run"
    )
