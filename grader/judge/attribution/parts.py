"""Calls of a module whose parts are on several GPUs, where they are."""

from __future__ import annotations

from dataclasses import replace

from grader.judge.attribution.cause import Cause, How
from grader.judge.attribution.operands import cause_of, is_mismatch
from grader.judge.codes import Code
from grader.judge.lookups import structure
from grader.schema import Evidence, Run


def mixed_parts(run: Run, evidence: Evidence) -> Cause | None:
    """Why a module that is split raised: a tensor on the CPU, or one of another part.

    What is on the CPU is followed back as in any call: the GPU of the other tensors is where it was
    expected. A registered tensor there, or one on another GPU, is told with the line that mixes.
    """
    if run.raised is None or not is_mismatch(run.raised):
        return None
    raised, registered = run.raised.origin, {f.path for f in evidence.tensors if f.role != "plain"}
    on_cpu = [operand for operand in raised.operands if operand.device == "cpu" and operand.shape]
    on_cuda = [operand.device for operand in raised.operands if operand.device != "cpu"]
    if on_cpu and on_cuda and on_cpu[0].name not in registered:
        return cause_of(replace(run, device=on_cuda[0]), evidence)
    where = raised.code or raised.operation or "forward"
    cause = Cause(Code.DEVICE_MISMATCH, where, raised.line, how=How.PARTS, file=raised.file)
    gpus = " and ".join(structure(evidence).gpus)
    held = on_cpu[0].name if on_cpu else ""
    return replace(cause, expected=gpus, name=held, raised=run.raised)
