"""What a second call shows, and a call after a move: from evidence written by hand."""

import pytest
from literal import MEAN, MIXED, RUBRIC, WEIGHT, audit, fact, output, replace
from test_checks import check

from grader.schema import Checkpoint, Location, Phase, Raised, Run, Structure

NO_DEVICE = Raised("AttributeError", "'Scaler' object has no attribute 'device'", line=9)
NOISY = replace(RUBRIC, random_outputs=("output",))
BUILT = replace(RUBRIC, recipe=replace(RUBRIC.recipe, takes_device=True))


@pytest.mark.parametrize(
    ("phase", "message"),
    [("again", "called a second time"), ("train", "in train mode"), ("back", "back to the CPU")],
)
def test_forward_fails_if_a_later_call_raises_what_no_finding_explains(phase, message):
    found = check("forward", **audit(Run("cpu", NO_DEVICE, phase=Phase(phase))))

    assert not found.passed
    assert message in found.message
    assert "no attribute 'device'" in found.message


@pytest.mark.parametrize(
    ("numbers", "depends_on_the_seed", "passes"),
    [((1.0, 2.0), False, False), ((1.0, 2.5), False, True), ((1.0, 2.0), True, True)],
)
def test_noise_is_to_be_drawn_anew_from_whatever_generator(numbers, depends_on_the_seed, passes):
    calls = (
        Run("cpu", None, (output(),), Phase.CPU),
        Run("cpu", None, (output(numbers=numbers),), Phase.CPU_AGAIN),
    )

    found = check("forward", rubric=NOISY, **audit(*calls, random=depends_on_the_seed))

    assert found.passed is passes
    assert passes or "the same numbers in `output`" in found.message


def test_an_output_on_the_cpu_is_told_with_the_line_that_brought_it_there():
    there = replace(output("cpu"), line=44, code="return scores.cpu()")
    runs = (
        Run("cpu", None, (output(),)),
        Run("cuda", None, (output("cpu"),)),
        Run("cuda:0", None, (there,), Phase.CUDA),
    )

    found = check("forward", is_audited=True, runs=runs)

    assert found.message.endswith("on the CPU, by line 44: `return scores.cpu()`")


def test_an_override_that_cpu_does_not_see_is_one_fault_and_not_two():
    overrides = Structure(overrides=(Location("self.to", 28),))
    good = [
        Run("cuda:0", None, (output("cuda:0"),), phase)
        for phase in (Phase.CUDA, Phase.PART_OF_ANOTHER)
    ]

    found = check(
        "forward",
        **audit(*good, Run("cpu", MIXED, phase=Phase.MOVED_BACK), structure=overrides),
    )

    assert found.message.startswith("`to` is overridden")
    assert "`.cpu()` and a parent's `.to()` never call it" in found.message


def test_what_only_a_call_adds_to_the_checkpoint_is_told():
    found = check("state_dict", **audit(reloaded=Checkpoint(unexpected=("future",))))

    assert "once it was called, it also holds `future`" in found.message


def test_the_device_that_is_told_is_that_of_the_first_tensor():
    by_itself = Structure((replace(WEIGHT, device="cuda:1"), replace(MEAN, device="cuda:0")))

    found = check("placement", rubric=BUILT, **audit(structure=by_itself))

    assert "`self.weight`, `self.running_mean` on cuda:1" in found.message


def test_where_names_are_free_the_shape_of_what_is_not_saved_is_told():
    free = replace(RUBRIC, names_matter=False)

    found = check("state_dict", WEIGHT, fact("running_mean", name=""), rubric=free)

    assert f"holds no tensor of shape {MEAN.shape}" in found.message
