"""Whose tensor is on the wrong device, and how it got there: data, before any wording."""

import pytest
from literal import MIXED, SIMULATED, WEIGHT, fact, named, output
from msgspec.structs import replace

from grader.judge.attribution import How, Shown, causes_in_audit, causes_in_exercise
from grader.judge.codes import Code
from grader.judge.diagnosis import diagnose_audit
from grader.schema import (
    Evidence,
    Holder,
    Operand,
    Phase,
    RememberedDevice,
    Run,
    Structure,
)

ON_CUDA = Operand("cuda:0", (5,), "input", "input")


def seen(*runs, tensors=(), **structure) -> Evidence:
    return Evidence(
        SIMULATED, "2.13.0", 7, structure=Structure((WEIGHT, *tensors), **structure), runs=runs
    )


def met(operand: Operand, phase=Phase.CUDA) -> Run:
    return Run("cuda:0", replace(MIXED, operands=(ON_CUDA, operand)), phase=Phase(phase))


@pytest.mark.parametrize(
    ("operand", "code", "how"),
    [
        (Operand("cpu", (5,), "attribute", "self.scale"), Code.MEMBER_TENSOR, How.HELD),
        (Operand("cpu", (5,), "global", "SCALE", 3), Code.MEMBER_TENSOR, How.IMPORTED),
        (Operand("cpu", (5,), "global", "SCALE", 3, earlier=True), Code.STALE_DEVICE, How.CACHED),
        (Operand("cpu", (5,), "input", "batch[0]"), Code.INPUT_TRANSFER, How.MADE),
        (Operand("cpu", (5,), "made", "torch.zeros", 30), Code.MADE_IN_FORWARD, How.MADE),
        (Operand("cuda:1", (5,), "made", "torch.zeros", 30), Code.HARD_CODED_DEVICE, How.MADE),
        (Operand("cpu", (5,), "made", "x", moved_line=31), Code.TO_RESULT_DROPPED, How.MADE),
        (Operand("cpu", (5,), "made", "w", 30, is_parameter=True), Code.LAYER_IN_FORWARD, How.MADE),
        (
            Operand("cpu", (5,), "made", "torch.zeros", 30, site=named("self.where")),
            Code.STALE_DEVICE,
            How.REMEMBERED,
        ),
    ],
)
def test_an_operand_is_followed_back(operand, code, how):
    scale = fact("scale", name="")
    evidence = seen(
        met(operand), tensors=(scale,), devices=(RememberedDevice("self.where", 12, "cuda:1"),)
    )

    cause = next(causes_in_audit(evidence))

    assert (cause.code, cause.how, cause.shown) == (code, how, Shown.CALL)
    assert (cause.used_line, cause.operation) == (30, "torch.Tensor.sub")


@pytest.mark.parametrize(
    ("changes", "code", "path"),
    [
        ({}, Code.MEMBER_TENSOR, "self.scale"),
        ({"holder": Holder("list", "self.all")}, Code.PYTHON_CONTAINER, "self.all"),
        ({"holder": Holder("Grid", "self.grid")}, Code.OPAQUE_HOLDER, "self.scale"),
        (
            {"holder": Holder("dict", "self.shadow"), "copy_of": "self.weight"},
            Code.PYTHON_CONTAINER,
            "self.shadow",
        ),
        ({"requires_grad": True, "is_leaf": False}, Code.MOVED_BEFORE_REGISTRATION, "self.scale"),
    ],
)
def test_an_unregistered_tensor_is_told_by_what_holds_it(changes, code, path):
    held = replace(fact("scale", name=""), **changes)

    (cause,) = causes_in_exercise(seen(tensors=(held,)))

    assert (cause.code, cause.path, cause.shown) == (code, path, Shown.HELD)


def test_a_result_on_another_device_is_traced_to_the_tensor_that_the_module_holds():
    scale = fact("scale", name="")
    run = Run("cuda:0", None, (output("cpu", held_at="self.scale"),), phase=Phase.CUDA)

    (cause,) = causes_in_audit(seen(run, tensors=(scale,)))

    assert (cause.code, cause.path, cause.result) == (Code.MEMBER_TENSOR, "self.scale", "output")


@pytest.mark.parametrize(
    ("code", "says"),
    [
        ("x.to(y.device)", "`Tensor.to` returns a new tensor"),
        ("x = x.to(y.device)", "rebinds the name `x` to it and no other name"),
        ("each == x.to(0)", "`Tensor.to` returns a new tensor"),
    ],
)
def test_a_moved_copy_is_dropped_or_has_another_name(code, says):
    operand = Operand("cpu", (5,), "made", "torch.zeros", 30, moved_line=31, moved_code=code)

    (found,) = diagnose_audit(seen(met(operand)))

    assert found.code == "to-result-dropped"
    assert says in found.message


def test_of_two_findings_at_one_place_the_upper_code_is_shown():
    scale = fact("scale", name="", line=12, used=True)
    dropped = Operand("cpu", (5,), "attribute", "self.scale", moved_line=31)

    (found,) = diagnose_audit(seen(met(dropped), tensors=(scale,)))

    assert list(Code).index(Code.TO_RESULT_DROPPED) < list(Code).index(Code.MEMBER_TENSOR)
    assert (found.code, found.severity, found.line) == ("to-result-dropped", "error", 31)
