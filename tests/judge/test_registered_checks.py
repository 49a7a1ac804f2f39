"""The checks of what is registered and moved, condition by condition."""

import pytest
from literal import EXPECTED, MEAN, RUBRIC, WEIGHT, audit, evidence, fact, replace

from grader.judge.checks import GradedAnswer, run_checks
from grader.judge.diagnosis import sightings
from grader.judge.lookups import follows, forgotten_by_override, registered_as, unregistered_tensors
from grader.schema import (
    Checkpoint,
    Location,
    Placed,
    Raised,
    Structure,
)

RAISED = Raised("ValueError", "no", 12)
OF_EYE = Raised("RuntimeError", "cuda does not match device type of out parameter (cpu)")
FREE = replace(RUBRIC, names_matter=False)
TAKES = replace(RUBRIC, recipe=replace(RUBRIC.recipe, takes_device=True))
PLAIN = fact("table", name="", role="plain")
THERE = replace(WEIGHT, device="cuda:0")


def message(name, *tensors, rubric=RUBRIC, **changes):
    """What a check says; `""` if it passes."""
    seen = evidence(*tensors, **changes)
    audited = sightings(seen) if seen.is_audited else ()
    rubric = replace(rubric, points={name: 1})
    (found,) = run_checks(GradedAnswer(seen, rubric, EXPECTED, audited))
    assert found.points == found.passed
    return "" if found.passed else found.message


def moved(*tensors, how=".cuda()", raised=None):
    return Placed(how, raised, tensors)


def test_each_move_is_followed():
    behind = moved(THERE, MEAN)
    to = moved(THERE, PLAIN, how='.to("cuda")')

    assert message("placement", movements=(moved(THERE),)) == ""
    assert message("placement", movements=(behind, to)) == (
        "after `.cuda()`, still on the CPU: `self.running_mean`"
    )
    assert message("placement", movements=(moved(raised=RAISED), to)) == (
        "`.cuda()` raised ValueError in line 12: no; "
        'after `.to("cuda")`, still on the CPU: `self.table`'
    )


@pytest.mark.parametrize(
    ("built", "expected"),
    [
        (Placed("here", None, (THERE, PLAIN)), ""),
        (Placed("here", None, (THERE, MEAN)), "built here, it has `self.running_mean` on cpu"),
        (Placed("here", RAISED, (MEAN,)), "built here, it raised"),
        (Placed("here", OF_EYE, (MEAN,)), ""),
        (
            Placed("there", None, (THERE,), device="cuda:1"),
            "`self.weight` on cuda:0; expected: on cuda:1",
        ),
    ],
)
def test_instances_are_where_they_were_said_to_be(built, expected):
    found = message("placement", rubric=TAKES, built=(built,))

    assert bool(found) is bool(expected)
    assert expected in found
    assert not ("it raised" in found and "expected" in found)


def built(*tensors, on_device=(THERE,), raised=None):
    there = None if on_device is None else Placed('with `device="cuda:0"`', raised, on_device)
    return audit(structure=Structure(tensors or (WEIGHT,)), on_device=there)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        (built(), ""),
        (built(on_device=(THERE, PLAIN)), ""),
        (built(on_device=(THERE, MEAN)), "it has `self.running_mean` on cpu"),
        (built(on_device=(replace(THERE, device="cuda:1"),)), "it has `self.weight` on cuda:1"),
        (built(on_device=None), "takes no argument `device` any more"),
        (built(raised=RAISED), 'built with `device="cuda:0"`, it raised ValueError'),
        (built(THERE), "it has `self.weight` on cuda:0; expected: on the default device"),
    ],
)
def test_a_constructor_that_takes_a_device_uses_it(changes, expected):
    found = message("placement", rubric=TAKES, **changes)

    assert bool(found) is bool(expected)
    assert expected in found
    assert message("placement", **changes) == ""


def test_parameters_over_one_memory_are_told():
    first, second = replace(WEIGHT, storage=5), fact("bias", role="parameter", storage=5)
    second = replace(second, requires_grad=True)
    expected = "`weight` and `bias` share their memory"

    def message_of(*tensors):
        return message("parameters", *tensors, MEAN, rubric=replace(FREE, tensors=()))

    assert expected in message_of(first, second)
    assert expected not in message_of(first, replace(second, storage=6))
    assert expected not in message_of(replace(first, storage=0), replace(second, storage=0))
    assert expected not in message_of(first, replace(second, identity=first.identity))
    assert expected not in message_of(first, replace(second, requires_grad=False))
    assert expected not in message_of(first, replace(second, role="buffer"))


def test_shapes_are_matched_where_names_are_free():
    two = replace(FREE, tensors=(RUBRIC.tensors[0], replace(RUBRIC.tensors[0], shape=(2, 3))))
    other = replace(WEIGHT, name="b", path="self.b", identity=9, shape=(2, 3))
    again = replace(other, shape=(5,))

    assert message("parameters", WEIGHT, other, rubric=two) == ""
    assert message("parameters", WEIGHT, again, rubric=two) == (
        "`parameters()` has no tensor of shape (2, 3)"
    )
    assert (
        message("parameters", WEIGHT, rubric=two) == "`parameters()` returns 1 tensors; expected: 2"
    )


def test_what_the_exercise_names_is_no_surplus():
    frozen = replace(WEIGHT, path="self.extra", name="extra", identity=9, requires_grad=False)
    mean = replace(MEAN, role="parameter", requires_grad=True)

    assert message("parameters", WEIGHT, MEAN, frozen) == ""
    assert message("parameters", WEIGHT, mean) == ""


def test_a_number_may_be_saved_by_the_modules_own_methods():
    saved = replace(RUBRIC, tensors=(RUBRIC.tensors[0], replace(RUBRIC.tensors[1], role="saved")))
    keys = Structure((WEIGHT,), ("weight", "running_mean"))

    assert message("buffers", rubric=saved, structure=keys) == ""
    assert message("buffers", rubric=RUBRIC, structure=keys) != ""
    assert message("buffers", rubric=saved, structure=Structure((WEIGHT,), ("weight",))) != ""


def test_a_buffer_over_anothers_memory_is_told():
    def message_of(**changes):
        return message("buffers", replace(WEIGHT, storage=5), replace(MEAN, **changes))

    assert message_of(storage=5) == (
        "`running_mean` shares its memory with `weight`: make a tensor for each"
    )
    assert message_of(storage=6) == ""
    assert message("buffers", replace(WEIGHT, storage=0), replace(MEAN, storage=0)) == ""
    assert message("buffers", WEIGHT, MEAN, replace(PLAIN, identity=MEAN.identity)) == ""


def test_a_trained_module_gives_the_same_when_it_is_loaded():
    lost = Checkpoint(before=EXPECTED, after=(replace(EXPECTED[0], values=None),))
    found = message("checkpoint", **audit(reloaded=lost))

    assert found.startswith("After two training steps")
    assert message("checkpoint", **audit()) == ""


@pytest.mark.parametrize(
    ("changes", "reached"),
    [
        ({"movements": ()}, {"parameters", "buffers", "state_dict", "forward", "training"}),
        ({"construction": RAISED}, set()),
    ],
)
def test_a_check_is_run_if_the_grader_got_that_far(changes, reached):
    checks = run_checks(GradedAnswer(evidence(**changes), RUBRIC, EXPECTED))

    assert {check.name for check in checks if check.status == "run"} == reached & set(RUBRIC.points)


def test_tensors_that_are_not_registered_are_listed_once():
    twice = replace(PLAIN, path="self.again")
    alias = replace(PLAIN, path="self.alias", identity=WEIGHT.identity)
    seen = evidence(structure=Structure((WEIGHT, MEAN, PLAIN, twice, alias)))

    assert [fact.path for fact in unregistered_tensors(seen)] == ["self.table"]


def test_a_tensor_follows_if_every_move_took_it_along():
    there = replace(PLAIN, device="cuda:0")

    def is_following(*movements, table=PLAIN):
        return follows(table, evidence(movements=movements))

    assert is_following(moved(THERE, there), moved(there))
    assert not is_following(moved(there), moved(PLAIN))
    assert not is_following(moved(there), moved(THERE))
    assert not is_following()
    assert not is_following(moved(there), table=there)


def test_what_an_override_forgets():
    forgot = (moved(THERE, MEAN, PLAIN), moved(WEIGHT, MEAN))
    overridden = Structure((WEIGHT, MEAN), overrides=(Location("self.to", 3),))

    assert forgotten_by_override(evidence(structure=overridden, movements=forgot)) == [
        "self.running_mean",
        "self.weight",
    ]
    assert forgotten_by_override(evidence(movements=forgot)) == []


def test_what_is_registered_under_the_names_of_the_exercise():
    def found(*tensors, rubric=RUBRIC):
        seen = evidence(structure=Structure(tensors))
        triples = registered_as(seen, rubric)
        return [(f.path, asked.name, first and first.path) for f, asked, first in triples]

    alias = replace(MEAN, identity=WEIGHT.identity)
    behind = replace(PLAIN, identity=MEAN.identity)

    assert found(WEIGHT, alias) == [
        ("self.weight", "weight", None),
        ("self.running_mean", "running_mean", "self.weight"),
    ]
    assert found(behind, MEAN) == [("self.running_mean", "running_mean", None)]
    assert found(replace(MEAN, role="plain")) == []
    assert found(WEIGHT, MEAN, rubric=None) == []
