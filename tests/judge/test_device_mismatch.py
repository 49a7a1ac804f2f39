"""`device-mismatch`, from evidence written by hand."""

import pytest
from literal import EXPECTED, MIXED, SIMULATED, WEIGHT
from msgspec.structs import replace

from grader.judge.audit import judge_audit
from grader.schema import Evidence, Operand, Phase, Raised, Run, Structure
from grader.schema.report import Report

WRAPPED = Raised("ValueError", "the layer failed", 30, "return layer(x)")


def report(raised: Raised, phase: Phase = Phase.CUDA) -> Report:
    """The audit of a module whose call in that phase raised."""
    runs = (Run("cpu", None, EXPECTED, Phase.CPU), Run("cuda:0", raised, (), phase))
    structure = Structure((WEIGHT,))
    return judge_audit(Evidence(SIMULATED, "2.13.0", 7, structure=structure, runs=runs), "Net")


@pytest.mark.parametrize(
    "message",
    [
        "Expected all tensors to be on the same device, but found at least two devices",
        "Attention bias and Query/Key/Value should be on the same device",
        "weights must be a CUDA tensor",
        "Encountered different devices in metric calculation",
        "device mismatch: q on cuda:0",
        "Input type (torch.cuda.FloatTensor) and weight type (torch.FloatTensor) should be equal",
        "Pointer argument (at 0) cannot be accessed: tensor on cpu, kernel on cuda",
    ],
)
@pytest.mark.parametrize("phase", [Phase.CUDA, Phase.MOVED, Phase.TRAIN_MODE, Phase.HALF_BATCH])
def test_what_speaks_of_devices_is_an_error_though_no_tensor_shows(message: str, phase: Phase):
    judged = report(replace(WRAPPED, message=message), phase)

    (found,) = judged.findings
    assert (found.code, found.severity, found.line) == ("device-mismatch", "error", 30)
    assert (judged.verdict, judged.exit_code) == ("failed", 1)
    assert message.split(":")[0] in found.message


def test_so_is_what_was_raised_because_of_it():
    (found,) = report(replace(WRAPPED, behind=MIXED)).findings

    assert found.code == "device-mismatch"


def test_an_operand_says_more():
    operand = Operand("cpu", (5,), "made", "torch.randn", 14)
    raised = replace(WRAPPED, operands=(Operand("cuda:0", (5,), "input", "x"), operand))

    (found,) = report(raised).findings

    assert (found.code, found.line) == ("made-in-forward", 14)


@pytest.mark.parametrize(
    "message",
    [
        "Could not run 'quantized::linear_dynamic' with arguments from the 'CUDA' backend",
        "no kernel image is available for execution",
        "mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)",
    ],
)
def test_what_is_no_mismatch_is_not_called_one(message: str):
    judged = report(replace(WRAPPED, message=message))

    assert (judged.findings, judged.verdict, judged.exit_code) == ((), "cannot_grade", 2)


def test_on_the_cpu_it_is_no_matter_of_devices():
    assert report(replace(WRAPPED, message="same device"), Phase.CPU).findings == ()
