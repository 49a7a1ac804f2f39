"""What the exception of a call says of devices, and the operand that was on the wrong one."""

from __future__ import annotations

import re
from dataclasses import replace

from grader.judge.attribution.cause import Cause, How, Shown
from grader.judge.attribution.causes import Misplaced, made_here
from grader.judge.codes import Code
from grader.judge.lookups import structure
from grader.judge.wording import on_device
from grader.schema import AFTER_MOVES, Evidence, Location, Operand, Phase, Raised, Run

# Parts of PyTorch's own messages: of `Tensor.numpy` (torch/csrc/utils/tensor_numpy.cpp), of random
# operators, of `pack_padded_sequence`, and of indexing.
NUMPY = "device type tensor to numpy"
GENERATOR = "device type for generator"
LENGTHS = "'lengths' argument should be a 1D CPU"
INDEX = re.compile(rf"indices should be either on cpu|{LENGTHS}")
# How PyTorch, extensions and libraries say that tensors are on different devices.
MIXES = re.compile(
    r"(same|different|two) devices?\b|\bdevices? (mismatch|differ|(do|does) not match)"
    r"|\bcpu\b.*\bcuda\b|\bcuda\b.*\bcpu\b|\bcuda\.\w+Tensor\b.*\btorch\.\w+Tensor\b"
    r"|\btorch\.\w+Tensor\b.*\bcuda\.\w+Tensor\b"
    r"|must be (an? |on )?(CUDA|GPU|CPU)\b"
)
# How TorchScript's interpreter begins (torch/csrc/jit/runtime/interpreter.cpp).
SCRIPT = "failed in the TorchScript interpreter"
NO_KERNEL = "Could not run '"  # an operator that CUDA lacks: no tensor is misplaced


def cause_of(run: Run, evidence: Evidence) -> Cause | None:
    """Why this call raised, if a tensor, an index or a generator was on the wrong device."""
    if run.raised is None:
        return None
    raised = run.raised.origin
    if NUMPY in raised.message:
        where = raised.code or raised.operation
        return Cause(Code.HOST_ROUND_TRIP, where, raised.line, file=raised.file, site=raised.site)
    if GENERATOR in raised.message:
        here = Location(raised.code, raised.line, file=raised.file)
        at = (*structure(evidence).generators, here)[0]
        cause = Cause(Code.GENERATOR_DEVICE, at.path, at.line, file=at.file)
        return replace(cause, used_line=raised.line, used_file=raised.file)
    operand = misplaced_operand(raised, run.device)
    if INDEX.search(raised.message) and not (operand and operand.moved_line):
        return _index(operand, raised, run)
    if operand is None:
        return None
    by_optimizer = {(o.file, o.line) for o in evidence.optimizers if o.raised}
    if operand.line and (operand.file, operand.line) in by_optimizer:
        # `stale-optimizer` explains it
        return None
    cause = _misplaced(operand, raised, run, evidence).cause()
    is_of_a_call = cause.how is How.CACHED and operand.earlier and run.phase in AFTER_MOVES
    if is_of_a_call and evidence.run_of(Phase.CUDA) and not _fails_at_once(raised, evidence):
        return replace(cause, how=How.CALLED_BEFORE)
    return cause


def untraced_cause(raised: Raised | None, device: str) -> Cause | None:
    """The cause where an exception speaks of devices, and no operand shows whose tensor it was."""
    if raised is None or not is_mismatch(raised):
        return None
    where = raised.code or raised.operation or "forward"
    cause = Cause(Code.DEVICE_MISMATCH, where, raised.line, Shown.UNTRACED, file=raised.file)
    cause = replace(cause, expected=device, raised=raised)
    return replace(cause, how=How.SCRIPTED) if SCRIPT in raised.message else cause


def is_mismatch(raised: Raised) -> bool:
    """Whether an operation was refused for mixing devices, or the text says as much."""
    if len({operand.device for operand in raised.origin.operands}) > 1:
        return True
    return bool(words_on_devices(raised))


def words_on_devices(raised: Raised) -> str:
    """The line of an exception's message that speaks of devices; `""` if none does.

    TorchScript's messages begin with a traceback, so it need not be the first.
    """
    texts = (raised.message, raised.origin.message)
    lines = (line for text in texts if NO_KERNEL not in text for line in text.splitlines())
    return next((line.strip() for line in lines if MIXES.search(line)), "")


def misplaced_operand(raised: Raised, device: str) -> Operand | None:
    """The operand that is not on `device`, where the operation mixed devices.

    Of several, the one with the most dimensions: PyTorch lets 0-dimensional CPU tensors pass.
    """
    misplaced = [other for other in raised.operands if not on_device(other.device, device)]
    if len({operand.device for operand in raised.operands}) < 2 or not misplaced:
        return None
    return max(misplaced, key=lambda operand: len(operand.shape))


def _index(table: Operand | None, raised: Raised, run: Run) -> Cause:
    cause = Cause(Code.INDEX_DEVICE, raised.code, raised.line, file=raised.file)
    cause = replace(cause, expected=run.device, site=raised.site)
    if LENGTHS in raised.message:
        return replace(cause, how=How.LENGTHS)
    if table is None:
        return cause
    where = table.name if table.source == "attribute" else raised.code
    how = How.MADE if table.source == "made" else How.HELD
    cause = replace(cause, path=where, how=how, used_line=table.line, used_file=table.file)
    return replace(cause, site=table.site)


def _misplaced(operand: Operand, raised: Raised, run: Run, evidence: Evidence) -> Misplaced:
    """The operand, the operation that it met, and whether only a call after a move met it."""
    base = made_here(operand.name or operand.code or raised.code, operand, run)
    base = replace(
        base,
        line=operand.line or raised.line,
        file=operand.file if operand.line else raised.file,
        used_line=raised.line,
        used_file=raised.file,
        operation=raised.operation,
        site=None if operand.source == "unknown" else operand.site or raised.site,
    )
    is_late = run.phase in AFTER_MOVES and not _fails_at_once(raised, evidence)
    return Misplaced(operand, base, evidence, raised, is_late)


def _fails_at_once(raised: Raised, evidence: Evidence) -> bool:
    """Whether a new instance's first call on CUDA fails on the same line."""
    run = evidence.run_of(Phase.CUDA)
    if run is None or run.raised is None:
        return False
    lines = {(other.file, other.line) for other in run.exceptions}
    return run.is_stopped or (raised.file, raised.line) in lines
