"""The check of `forward`, and what the other checks say of one tensor or of several."""

import pytest
from literal import EXPECTED, MEAN, MIXED, RUBRIC, WEIGHT, audit, evidence, fact, output, replace

from grader.judge.attribution import Shown, causes_in_audit
from grader.judge.checks import GradedAnswer, run_checks
from grader.judge.diagnosis import sightings
from grader.judge.scoring import NOT_FINISHED, mark_unfinished, settle
from grader.schema import (
    Checkpoint,
    Location,
    Phase,
    Placement,
    Raised,
    Run,
    Trained,
    Training,
    Values,
    Work,
)
from grader.schema.evidence.closeness import nearly_equal
from grader.schema.report import Check, Finding

ON_CUDA = (output("cuda:0"),)
WRONG = (output(numbers=(0.0, 0.0)),)
WRONG_ON_CUDA = (output("cuda:0", (0.0, 0.0)),)
NOISY = replace(RUBRIC, random_outputs=("output",))
BATCHES = replace(RUBRIC, recipe=replace(RUBRIC.recipe, most_rows=4))
CHOOSES = replace(RUBRIC, recipe=replace(RUBRIC.recipe, elsewhere=("gpu",)))
FREE = replace(RUBRIC, names_matter=False)


def message(name, *tensors, rubric=RUBRIC, with_findings=True, **changes):
    """What a check says; `""` if it passes."""
    seen = evidence(*tensors, **changes)
    audited = sightings(seen) if seen.is_audited and with_findings else ()
    checks = run_checks(GradedAnswer(seen, rubric, EXPECTED, audited))
    found = next(check for check in checks if check.name == name)
    return "" if found.passed else found.message


def both(cpu=EXPECTED, cuda=ON_CUDA):
    return Run("cpu", None, cpu), Run("cuda", None, cuda)


def test_one_problem_is_told_and_cudas_first():
    found = message("forward", runs=both(WRONG, WRONG_ON_CUDA))

    assert found.startswith("on CUDA, 2 of 2 numbers")
    assert "(the first is 0; expected: 1)" in found
    assert "on the CPU" not in found


def test_tensors_by_other_names_cannot_be_compared():
    gain = replace(WEIGHT, path="self.gain", name="gain")
    more = replace(MEAN, path="self.more", name="more", identity=99)

    def aside(*tensors, rubric=RUBRIC):
        return message("forward", *tensors, rubric=rubric, runs=both(WRONG)).partition(").")[2]

    assert aside(gain, MEAN) == (
        " The grader could not set `weight`: nothing is registered by that name"
    )
    assert aside(WEIGHT, MEAN, more) == " It saves `more`, which the exercise does not have"
    assert aside(WEIGHT, MEAN, replace(more, persistent=False)) == ""
    assert aside(WEIGHT, MEAN, replace(more, role="plain")) == ""
    assert aside(WEIGHT, replace(MEAN, persistent=False)).startswith(" The grader could not set `r")
    assert aside(gain, MEAN, rubric=FREE) == ""


AGAIN = (Run("cpu", None, EXPECTED, Phase.CPU), Run("cpu", None, EXPECTED, Phase.CPU_AGAIN))
OTHERWISE = Run("cpu", None, WRONG, Phase.CPU_AGAIN)
RAISED_AGAIN = Run("cpu", MIXED, EXPECTED, Phase.CPU_AGAIN)
ELSEWHERE = Run("cpu", None, (output(path="more"),), Phase.CPU_AGAIN)


@pytest.mark.parametrize(
    ("runs", "random", "rubric", "is_accused"),
    [
        (AGAIN, False, NOISY, True),
        (AGAIN, True, NOISY, False),
        (AGAIN, False, RUBRIC, False),
        (AGAIN[:1], False, NOISY, False),
        (AGAIN[1:], False, NOISY, False),
        ((AGAIN[0], OTHERWISE), False, NOISY, False),
        ((AGAIN[0], ELSEWHERE), False, NOISY, False),
        ((AGAIN[0], RAISED_AGAIN), False, NOISY, False),
    ],
)
def test_noise_is_drawn_anew_in_each_call(runs, random, rubric, is_accused):
    found = message("forward", rubric=rubric, **audit(*runs, random=random))

    assert ("it gave the same numbers in `output`" in found) is is_accused


@pytest.mark.parametrize(
    ("rows", "rubric", "expected"),
    [
        ((4, 4), BATCHES, ""),
        (
            (5, 5),
            BATCHES,
            "5 rows of the inputs were on CUDA at a time; expected: no more than one",
        ),
        ((5, 5), BATCHES, "let the next take its name"),
        ((5, 4), BATCHES, "compute under `torch.no_grad()`"),
        ((5, 5), RUBRIC, ""),
    ],
)
def test_no_more_than_a_batch_is_on_cuda_at_a_time(rows, rubric, expected):
    found = message("forward", rubric=rubric, rows=rows)

    assert bool(found) is bool(expected)
    assert expected in found


def test_what_is_computed_on_the_cpu_and_brought_over_is_told():
    def computed(*counts):
        runs = both(cuda=ON_CUDA)
        counted = replace(runs[-1], work=Work(*counts))
        return message("forward", runs=(*runs[:-1], counted))

    assert computed(0, 0) == computed(2, 7) == ""
    assert computed(1, 4).startswith("on cuda, 4 of 5 operations were computed on the CPU")
    assert "2 of 9 operations were computed on the CPU with copies" in computed(2, 7, 2)


@pytest.mark.parametrize(
    ("kind", "name", "told"),
    [
        ("default device", "cuda:0", "the default device of the whole program on cuda:0"),
        ("mode", "Counting", "a mode on, `Counting`, which"),
        (
            "hook",
            "buffer registration hook",
            "a buffer registration hook on, which acts on every module",
        ),
    ],
)
def test_what_is_left_on_for_the_whole_program_is_told(kind, name, told):
    assert message("forward", left_on=((kind, name),)).startswith(f"it leaves {told}")


def test_an_input_that_a_call_changed_is_told():
    changed = message("forward", left_on=(("input", "photos"),))

    assert changed.startswith("it changes `photos` in place, and its caller goes on with")


def test_what_a_call_on_cuda_leaves_on_the_cpu_is_told():
    there = replace(WEIGHT, device="cuda:0")

    assert message("forward", left=(there,)) == ""
    assert message("forward", left=(there, MEAN)).startswith(
        "after a call on CUDA, `self.running_mean` is on the CPU"
    )
    assert message("forward", there, MEAN).startswith(
        "as it is built, `self.weight` is on CUDA and the rest is not"
    )


def test_later_outputs_stay_with_the_module():
    def behind(phase, *outputs):
        run = Run("cuda:1", None, outputs, phase)
        return message("forward", **audit(run), with_findings=False)

    number = output("", type="int")
    assert behind(Phase.MOVED_ON, number, output("cuda:0")) == (
        "moved on to cuda:1, the module was on cuda:1, but output is on cuda:0"
    )
    assert behind(Phase.PART_OF_ANOTHER, output("cuda:0")) == ""
    assert behind(Phase.MOVED_ON, output("cuda:1"), number) == ""


def test_later_calls_do_not_raise():
    raised = Raised("ValueError", "no", 12)

    found = message("forward", **audit(Run("cpu", raised, (), Phase.TRAIN_MODE)))
    assert found == "called in train mode, `forward` raised ValueError in line 12: no"
    assert message("forward", **audit(Run("cpu", raised, (), Phase.HALF_BATCH))) == ""


def test_an_output_on_the_cpu_is_told_with_the_line_that_the_audit_saw():
    on_cpu = both(cuda=EXPECTED)
    line = replace(output(), line=14, code="return x.cpu()")
    seen = (*on_cpu, Run("cuda:0", None, (line,), Phase.CUDA))

    assert message("forward", runs=on_cpu) == "the module was on CUDA, but output is on the CPU"
    assert message("forward", is_audited=True, runs=seen).endswith(
        "is on the CPU, by line 14: `return x.cpu()`"
    )
    assert message("forward", runs=on_cpu, rubric=CHOOSES) == ""


def test_where_the_module_chooses_its_gpu_the_other_calls_come_first():
    there = Placement("there", Run("cuda:1", None, ON_CUDA))

    def found(rubric):
        return message("forward", rubric=rubric, elsewhere=(there,), runs=both(WRONG))

    assert found(CHOOSES).startswith("there, ")
    assert found(RUBRIC).startswith("on the CPU, ")


def trained(name, **changes):
    return replace(Trained(name, "parameter", True, True, True), **changes)


def test_one_parameter_is_it_and_several_are_them():
    rubric = replace(RUBRIC, tensors=(RUBRIC.tensors[0], replace(RUBRIC.tensors[0], name="bias")))

    def unreached(*names):
        steps = tuple(trained(n, has_gradient=n not in names) for n in ("weight", "bias"))
        return message("training", training=Training(None, steps), rubric=rubric)

    assert unreached("weight").endswith("does not use it, or detaches it")
    assert unreached("weight", "bias").endswith("does not use them, or detaches them")


def test_a_training_step_changes_nothing_else():
    extra = trained("extra", requires_grad=False)

    def changed(*steps, rubric=RUBRIC):
        return message(
            "training", training=Training(None, (trained("weight"), *steps)), rubric=rubric
        )

    assert "changed `extra`, which" in changed(extra)
    assert changed(replace(extra, requires_grad=True)) == ""
    assert changed(replace(extra, changed=False)) == ""
    assert "changed `running_mean`" in changed(
        replace(extra, name="running_mean", requires_grad=True)
    )
    free = trained("gain")
    assert message("training", training=Training(None, (free,)), rubric=FREE) == ""


def test_what_is_not_saved_may_change_in_a_training_step():
    table = replace(MEAN, path="self.table", name="table", identity=99)
    grew = Training(None, (trained("weight"), trained("table", role="buffer", requires_grad=False)))

    assert "changed `table`" in message("training", WEIGHT, MEAN, table, training=grew)
    unsaved = replace(table, persistent=False)
    assert message("training", WEIGHT, MEAN, unsaved, training=grew) == ""


def test_nothing_to_train_is_told():
    frozen = trained("weight", requires_grad=False)
    buffer = trained("running_mean", role="buffer")

    for steps in ((frozen,), (buffer,), ()):
        assert "there is nothing to train" in message("training", training=Training(None, steps))


def test_one_more_buffer_is_left_out_by_persistent():
    more = replace(MEAN, path="self.more", name="more", identity=99)
    hint = "a buffer with `persistent=False` is left out"

    assert message("state_dict", WEIGHT, MEAN, more) == f"`more` should not be in it: {hint}"
    assert hint not in message("state_dict", WEIGHT, MEAN, replace(more, role="parameter"))
    assert hint not in message("state_dict", WEIGHT, more)
    both_more = (more, replace(WEIGHT, path="self.w", name="w", identity=98))
    assert hint not in message("state_dict", WEIGHT, MEAN, *both_more)


def test_keys_are_counted_where_names_are_free():
    lacking = "it has 1 keys; expected: 2 (it holds no tensor of shape (5,))"

    assert message("state_dict", WEIGHT, rubric=FREE) == lacking
    renamed = (replace(WEIGHT, name="a"), replace(MEAN, name="b"), replace(MEAN, name="c"))
    assert message("state_dict", *renamed, rubric=FREE) == ""
    assert message("state_dict", replace(WEIGHT, shape=(4,)), rubric=FREE) == lacking


def test_a_part_of_a_larger_module_is_judged_if_it_loads_alone():
    wrong = Checkpoint(missing=("ema",))

    def loaded(**changes):
        return message("state_dict", checkpoint=Checkpoint(as_part=wrong, **changes))

    assert "part of a larger one" in loaded()
    assert "part of a larger one" not in loaded(missing=("weight",))
    assert loaded(missing=("a",), unexpected=("b",)) == (
        "a fresh instance that loads it lacks `a`; a fresh instance has no place for `b`"
    )


def test_keys_that_come_with_training_must_load_too():
    seen = audit(reloaded=Checkpoint(unexpected=("cache",)))

    assert message("state_dict", **seen) == (
        "once it was called, it also holds `cache`, which a fresh instance does not load"
    )
    assert message("state_dict", **audit(reloaded=Checkpoint())) == ""


def checks(*names, failed=()):
    return tuple(Check(name, name not in failed, 1, 1, "") for name in names)


def test_an_error_fails_one_check_and_that_the_most_fitting():
    error = Finding("member-tensor", "error", "self.a", 3, "It stays.", "")
    three = checks("forward", "state_dict", "placement")

    assert [check.passed for check in settle(three, [error])] == [True, True, False]
    assert settle(three, [error])[2] == Check("placement", False, 0, 1, "It stays.")
    failed = checks("forward", "placement", failed=("forward",))
    assert settle(failed, [error]) == failed
    assert settle(three, [replace(error, severity="warning")]) == three
    assert settle((), [error]) == ()
    assert [check.passed for check in settle(checks("a", "b"), [error])] == [False, True]


def test_what_did_not_end_has_one_check_that_was_not_run():
    two = checks("forward", "training")

    assert mark_unfinished(two) == (two[0], Check("training", False, 0, 1, NOT_FINISHED, "not run"))
    failed = checks("forward", "training", failed=("forward",))
    assert mark_unfinished(failed) == failed
    assert mark_unfinished(()) == ()


def test_each_rule_yields_what_an_exception_says_once():
    raised = Raised("AttributeError", "cannot assign parameters before Module.__init__() call", 9)
    seen = evidence(construction=raised, runs=(), movements=(), training=None, checkpoint=None)

    assert [sighting.finding.code for sighting in sightings(seen, RUBRIC)] == [
        "registration-misuse"
    ]


def test_a_result_without_a_path_is_the_one_of_its_line():
    first = fact("a", name="", requires_grad=True, is_leaf=False, line=7, identity=1)
    second = replace(first, path="self.b", line=8, identity=2)

    def cause_at(line):
        training = Training(unregistered=(Location("", line),))
        causes = causes_in_audit(evidence(first, second, cpu_training=training))
        return next(cause.path for cause in causes if cause.shown is Shown.GRADIENT)

    assert cause_at(8) == "self.b"
    assert cause_at(7) == "self.a"
    assert cause_at(99) == "self.a"


@pytest.mark.parametrize(
    ("changes", "is_equal"),
    [
        ({}, True),
        ({"values": Values.of([1.0, 2.009])}, True),  # 5e-3 of the largest
        ({"values": Values.of([1.0, 2.011])}, False),
        ({"values": Values.of([1.009, 2.0])}, True),
        ({"values": Values.of([1.0])}, False),
        ({"values": Values.of([1.0, 2.0, 3.0])}, False),
        ({"values": None}, True),
        ({"path": "output[0]"}, False),
        ({"shape": (2, 1)}, False),
        ({"type": "ndarray"}, False),
        ({"dtype": "int64", "values": Values.of([9.0, 9.0])}, True),
        ({"values": Values.of([1.0, float("nan")])}, False),
    ],
)
def test_outputs_of_two_devices_are_nearly_equal(changes, is_equal):
    assert nearly_equal((output(**changes),), EXPECTED) is is_equal


def test_nan_is_nearly_equal_to_nan_and_infinity_is_no_scale():
    nan, infinite = float("nan"), float("inf")

    assert nearly_equal((output(numbers=(nan, 1.0)),), (output(numbers=(nan, 1.0)),))
    assert not nearly_equal((output(numbers=(1.0, 1.0)),), (output(numbers=(nan, 1.0)),))
    assert nearly_equal((output(numbers=(infinite, 1.0)),), (output(numbers=(infinite, 1.004)),))
    assert not nearly_equal((output(numbers=(infinite, 1.0)),), (output(numbers=(infinite, 2.0)),))
