"""The results of a call that are on another device than the call."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from grader.judge.attribution.cause import Cause, How
from grader.judge.attribution.operands import remembered_cause
from grader.judge.codes import Code
from grader.judge.lookups import device_attribute, unregistered
from grader.schema import Evidence, Output, Run

MOVES = ("torch.Tensor.to", "torch.Tensor.cuda", "torch.Tensor.cpu")
# Factories that turn Python's or NumPy's numbers into tensors: of a result on the CPU, a decoded
# text say, they are no slip.
FROM_NUMBERS = ("torch.tensor", "torch.as_tensor", "torch.from_numpy", "torch.asarray")


def misplaced_results(run: Run, evidence: Evidence) -> Iterator[Cause]:
    """The cause of each output that is on another device than the call.

    0-dimensional outputs do not count: PyTorch lets them mix with any device. CPU outputs that look
    intended (`_is_meant`) do not count either.
    """
    for output in run.outputs:
        if output.device and output.device != run.device and output.shape:
            yield from _misplaced_result(output, run, evidence)


def _misplaced_result(output: Output, run: Run, evidence: Evidence) -> Iterator[Cause]:
    base = Cause(
        Code.MADE_IN_FORWARD,
        output.made_by,
        output.line,
        file=output.file,
        how=How.MADE,
        device=output.device,
        expected=run.device,
        result=output.path,
    )
    fact = next((f for f in unregistered(evidence) if f.path == output.held_at), None)
    if fact:
        path, line, file = fact.path, fact.line, fact.file
        yield replace(base, code=Code.MEMBER_TENSOR, path=path, line=line, file=file)
    elif remembered := device_attribute(output.code, evidence):
        yield remembered_cause(base, remembered, output.line, output.file)
    elif output.device != "cpu":
        yield replace(base, code=Code.HARD_CODED_DEVICE, path=output.code or output.path)
    elif output.made_by and not _is_meant(output, run):
        yield base


def _is_meant(output: Output, run: Run) -> bool:
    """Whether a result looks as if it were on the CPU on purpose."""
    if output.made_by in MOVES or "cpu" in output.code:
        return True
    nothing_else = all(other.device in ("", "cpu") for other in run.outputs)
    return nothing_else and output.made_by in FROM_NUMBERS
