"""`meta-init`, from evidence written by hand."""

import math

import pytest
from literal import EXPECTED, SIMULATED, WEIGHT, fact, output
from msgspec.structs import replace

from grader.judge.audit import judge_audit
from grader.schema import Evidence, Materialised, Phase, Raised, Run, Structure

TABLE = fact("table", role="buffer", persistent=False, used=True, line=12)
RIGHT = Run("cpu", None, EXPECTED, Phase.FROM_META)
NAN = Run("cpu", None, (output(numbers=(math.nan, 2.0)),), Phase.FROM_META)
OTHER = Run("cpu", None, (output(numbers=(1.0, 3.0)),), Phase.FROM_META)
REFUSED = Run("cpu", Raised("IndexError", "index out of range", 30), (), Phase.FROM_META)


def findings(table=TABLE, loaded=None, baseline=EXPECTED, unwritten=(), **changes):
    evidence = Evidence(
        SIMULATED,
        "2.13.0",
        seed=7,
        structure=Structure((WEIGHT, table), unwritten=unwritten),
        runs=(Run("cpu", None, baseline, Phase.CPU),),
        materialised=loaded,
    )
    return judge_audit(replace(evidence, **changes), "Example").findings


def loaded(run, expected=RIGHT, unwritten=("self.table",)):
    return Materialised(None, run, expected, unwritten)


@pytest.mark.parametrize(
    ("run", "harm"),
    [(NAN, "other numbers"), (OTHER, "other numbers"), (REFUSED, "raises IndexError in line 30")],
)
def test_what_loading_leaves_empty_is_a_warning(run, harm):
    (found,) = findings(loaded=loaded(run))

    assert (found.code, found.where, found.line) == ("meta-init", "self.table", 12)
    assert found.severity == "warning"
    assert harm in found.message


@pytest.mark.parametrize(
    "unharmed",
    [
        loaded(RIGHT),
        loaded(NAN, expected=NAN),
        loaded(REFUSED, expected=REFUSED),
        loaded(OTHER, unwritten=()),
        Materialised(Raised("RuntimeError", "it needs a file", 9)),
        Materialised(Raised("RuntimeError", "Tensor.item() cannot be called on meta tensors")),
    ],
)
def test_without_harm_nothing_is_said(unharmed):
    assert findings(loaded=unharmed) == ()


def test_a_tensor_that_no_call_reads_is_not_accused():
    assert findings(replace(TABLE, used=False), loaded=loaded(OTHER)) == ()


def test_of_a_random_module_only_nan_tells():
    assert findings(loaded=loaded(OTHER), random=True) == ()
    assert len(findings(loaded=loaded(NAN), random=True)) == 1


def test_a_constructor_that_asks_for_values_is_warned():
    no_values = "Tensor.item() cannot be called on meta tensors"
    raised = Raised("RuntimeError", no_values, 9, "rates = steps.tolist()")

    (found,) = findings(loaded=Materialised(raised))

    assert (found.code, found.severity, found.line) == ("meta-init", "warning", 9)
    assert no_values in found.message


def test_garbage_that_the_module_under_audit_reads_is_an_error():
    (found,) = findings(baseline=NAN.outputs, unwritten=("self.table",))

    assert (found.code, found.severity, found.where) == ("meta-init", "error", "self.table")


def test_what_is_left_on_meta_is_an_error_and_told_once():
    (found,) = findings(
        replace(TABLE, device="meta"), loaded=loaded(NAN), unwritten=("self.table",)
    )

    assert (found.severity, found.where) == ("error", "self.table")


def test_uninitialised_memory_that_does_no_harm_is_not_accused():
    assert findings(unwritten=("self.table",)) == ()
    assert (
        findings(replace(TABLE, used=False), baseline=NAN.outputs, unwritten=("self.table",)) == ()
    )
