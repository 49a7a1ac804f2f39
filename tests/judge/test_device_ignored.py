"""`device-ignored`, from evidence written by hand."""

import pytest
from literal import EXPECTED, MIXED, SIMULATED, WEIGHT, fact
from msgspec.structs import replace

from grader.judge.audit import judge_audit
from grader.schema import Evidence, Operand, Phase, Placed, Raised, Run, Structure

MASK = fact("mask", role="buffer", used=True, line=12)
BIAS = fact("bias", role="parameter", used=True, line=13)
INPUT = Operand("cuda:0", (8, 5), "input", "input 0")
ON_MASK = replace(MIXED, operands=(INPUT, Operand("cpu", (5,), "attribute", "self.mask")))
ON_UNKNOWN = replace(MIXED, operands=(INPUT, Operand("cpu", (5,))))
WRAPPED = Raised("ValueError", "bad input", 30, behind=ON_MASK)


def findings(*left, raised=ON_MASK, structure=(WEIGHT, MASK, BIAS)):
    there = tuple(f if f in left else replace(f, device="cuda:0") for f in structure)
    evidence = Evidence(
        SIMULATED,
        "2.13.0",
        seed=7,
        structure=Structure(structure),
        on_device=Placed("there", None, there),
        runs=(
            Run("cpu", None, EXPECTED, Phase.CPU),
            Run("cuda:0", raised, (), Phase.BUILT_ON_CUDA),
        ),
    )
    return judge_audit(evidence, "Example").findings


@pytest.mark.parametrize("raised", [ON_MASK, ON_UNKNOWN, WRAPPED])
def test_what_was_left_is_named(raised):
    (found,) = findings(MASK, raised=raised)

    assert (found.code, found.severity) == ("device-ignored", "error")
    assert (found.where, found.line) == ("self.mask", 12)
    assert 'device="cuda:0"' in found.message
    assert "So is" not in found.message


def test_all_that_was_left_is_named_with_what_the_call_met_first():
    (found,) = findings(BIAS, MASK)

    assert found.where == "self.mask"
    assert "So is `self.bias`" in found.message


def test_a_call_that_works_accuses_nobody():
    assert findings(MASK, raised=None) == ()


def test_what_raises_for_another_reason_is_not_blamed_on_the_constructor():
    assert findings(MASK, raised=Raised("ValueError", "batch too large", 30)) == ()
    (found,) = findings(
        BIAS, raised=replace(ON_MASK, operands=(INPUT, replace(INPUT, device="cpu")))
    )
    assert found.code == "input-transfer"


def test_a_tensor_that_no_call_reads_is_not_blamed():
    unread = replace(MASK, used=False)

    found = findings(unread, raised=ON_UNKNOWN, structure=(WEIGHT, unread))

    assert "device-ignored" not in [finding.code for finding in found]


def built(raised):
    evidence = Evidence(
        SIMULATED, "2.13.0", seed=7, structure=Structure((WEIGHT,)), on_device=Placed("", raised)
    )
    return judge_audit(evidence, "Example").findings


def test_a_constructor_that_mixes_what_it_makes_is_told_the_line_that_makes_it():
    made = Operand("cpu", (5,), "made", "torch.eye", line=14)

    (found,) = built(replace(MIXED, operands=(INPUT, made)))

    assert (found.code, found.where, found.line) == ("device-ignored", "torch.eye", 14)
    assert "line 30 mixes it" in found.message


def test_where_nothing_tells_what_it_made_the_line_that_mixes_is_told():
    (found,) = built(replace(MIXED, operands=(INPUT, Operand("cpu", (5,)))))

    assert (found.code, found.line) == ("device-mismatch", 30)
