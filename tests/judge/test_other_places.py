"""What a call in another place shows: from evidence written by hand."""

import pytest
from literal import MIXED, RUBRIC, audit, evidence, output, replace
from test_checks import check

from grader.judge.diagnosis import diagnose, sightings
from grader.judge.fixes import SourceFile, Sources
from grader.judge.initial_state import InitialState, problems_of_other
from grader.schema import (
    FirstCalls,
    Location,
    OtherInstance,
    Phase,
    Placement,
    Raised,
    Run,
)

HOW = "built with `gpu=1`"
NOT_ON_META = Raised("RuntimeError", "Tensor.item() cannot be called on meta tensors")
REPLICAS = replace(RUBRIC, recipe=replace(RUBRIC.recipe, elsewhere=("replica",)))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (Placement(HOW, Run("cuda:1", MIXED)), f"{HOW}, it raised RuntimeError"),
        (
            Placement(HOW, Run("cuda:1", None, (output("cuda:0"),))),
            "on cuda:0; expected: on cuda:1",
        ),
        (
            Placement(HOW, Run("cuda:1", None, (output("cuda:1", numbers=(7.0, 7.0)),))),
            "are not what the same state and inputs should give",
        ),
        (
            Placement(
                HOW, Run("cuda:0", None, (output("cuda:0", numbers=(7.0, 7.0)),)), ("table",)
            ),
            "`table` held whatever was in that memory",
        ),
        # A table that `forward` writes before it reads it.
        (Placement(HOW, Run("cuda:0", None, (output("cuda:0"),)), ("table",)), ""),
        (Placement(HOW, Run("meta", NOT_ON_META)), ""),
        (Placement(HOW, Run("cuda:1", NOT_ON_META)), "it raised RuntimeError"),
        (Placement(HOW, Run("meta", MIXED)), "it raised RuntimeError"),
        (Placement(HOW, Run("cuda:1", None, (output("cuda:1"),))), ""),
        (Placement(HOW, Run("meta", None, (replace(output("meta"), values=None),))), ""),
    ],
)
def test_forward_fails_where_a_call_in_another_place_does(call, message):
    found = check("forward", elsewhere=(call,))

    assert found.passed is (not message)
    assert message in found.message


@pytest.mark.parametrize("device", ["cpu", "cuda:1"])
def test_a_tensor_in_an_arrays_place_is_a_wrong_kind_wherever_it_is(device):
    array = replace(output(""), type="ndarray")
    here = tuple(Run(place, None, (array,)) for place in ("cpu", "cuda"))
    there = Placement(HOW, Run("cuda:1", None, (output(device),)))

    found = check("forward", elsewhere=(there,), expected=(array,), runs=here)

    assert found.message == f"{HOW}, output is a Tensor; expected: a NumPy array"


def test_an_instance_with_other_arguments_stays_on_the_cpu():
    rubric = replace(RUBRIC, recipe=replace(RUBRIC.recipe, other_arguments={"learned": False}))
    seen = FirstCalls(other=OtherInstance(Run("cpu", None, (output("cuda:0"),))))

    (problem,) = problems_of_other(seen, rubric, InitialState(other=(output(),)))

    assert problem == "an instance with `learned=False`, on the CPU, gave output on cuda:0"


def test_a_replica_is_an_error_only_where_the_exercise_speaks_of_replicas():
    stop = Raised("StopIteration", "", line=9, code="next(self.parameters())")
    phases = ((Phase.CPU, None), (Phase.REPLICA, stop))
    runs = (Run("cpu", raised, (output(),), phase) for phase, raised in phases)
    audited = evidence(**audit(*runs, counters=(Location("self.calls", 4),)))

    seen = sightings(audited)
    assert diagnose(audited, RUBRIC, Sources(SourceFile("")), seen) == ()
    found = diagnose(audited, REPLICAS, Sources(SourceFile("")), seen)
    assert {(finding.code, finding.severity) for finding in found} == {("replica", "error")}
