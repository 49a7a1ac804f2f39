"""Whose tensor is on the wrong device, and how it got there: a code and data, without wording.

1. `operands.py`: of every call that raised, the operand that is not on the call's device. In an
   audit, also of calls that raise for their devices in code where no operand shows. `causes.py` is
   the table of how a tensor can have got there.
2. `left_behind.py`, in an audit: a registered tensor that the constructor made on another device
   than it was given, or that an overridden `to` or `_apply` did not move.
3. `results.py`, in an audit: every result that is on another device than the call, and every tensor
   that got a gradient and is not in `parameters()`.
4. `held.py`: every tensor that the module holds and did not register, whether or not a call met it.
5. `_mixed_parts` below, in an audit: of a module on several GPUs, which of them a call mixed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from msgspec import structs

from grader.judge.attribution.cause import Cause, How, Shown
from grader.judge.attribution.held import (
    CONTAINERS,
    blame_base,
    causes_on_cuda,
    held_causes,
    is_harmless,
)
from grader.judge.attribution.left_behind import (
    blame_override,
    constructor_cause,
    mixing_constructor_cause,
)
from grader.judge.attribution.operands import (
    cause_of,
    is_mismatch,
    misplaced_operand,
    untraced_cause,
)
from grader.judge.attribution.results import gradient_causes, misplaced_results
from grader.judge.codes import Code
from grader.judge.lookups import (
    built_on_cuda,
    enclosing_paths,
    forgotten_by_override,
    structure,
)
from grader.schema import AFTER_MOVES, Evidence, Phase, Run

__all__ = ["Cause", "How", "Shown", "causes_in_audit", "causes_in_exercise", "misplaced_operand"]

EXTRA_STATE = "_extra_state"  # the key of what `get_extra_state` gives
# Phases with a rule of their own: `to-override`, `input-transfer` and `replica`.
APART = (
    Phase.EXERCISE,
    Phase.PART_OF_ANOTHER,
    Phase.CHILDREN_MOVED,
    Phase.CPU_INPUTS,
    Phase.REPLICA,
)


def causes_in_exercise(evidence: Evidence) -> Iterator[Cause]:
    """Causes from the constructor, from the calls, then from the tensors that the module holds."""
    yield from causes_on_cuda(evidence)
    forgotten = set(forgotten_by_override(evidence))  # `to-override` explains these
    for run in _shown_calls(run for run in evidence.runs if run.phase is Phase.EXERCISE):
        cause = cause_of(run, evidence)
        if cause and forgotten.isdisjoint((cause.path, cause.name)):
            yield blame_base(_of_what_is_used(cause), evidence)
    held = map(_of_what_is_used, held_causes(evidence))
    yield from (blame_base(cause, evidence) for cause in held)


def _of_what_is_used(cause: Cause) -> Cause:
    """`cause`; of what was copied before it was registered, as it is held: it is no average."""
    if cause.code is not Code.AVERAGED_COPY:
        return cause
    is_container = cause.holder in CONTAINERS
    return replace(cause, code=Code.PYTHON_CONTAINER if is_container else Code.OPAQUE_HOLDER)


def causes_in_audit(evidence: Evidence) -> Iterator[Cause]:
    """Causes from an audit's calls in their order, its training step, and tensors a call read.

    An unregistered tensor that no call reads does no harm there, and yields nothing.
    """
    calls = _shown_calls(evidence.runs)
    shown = [cause for run in calls for cause in _causes_of_call(run, evidence)]
    yield from shown
    yield from _causes_of_training(evidence)
    raised = built_on_cuda(evidence).raised
    if cause := mixing_constructor_cause(raised, "cuda:0") or untraced_cause(raised, "cuda:0"):
        yield cause
    yield from gradient_causes(evidence)
    if not (harmful := list(held_causes(evidence))):
        return
    used = {path for fact in evidence.tensors if fact.used for path in enclosing_paths(fact.path)}
    answered = {cause.name for cause in shown if cause.code is Code.TO_OVERRIDE}
    harmful = [c for c in harmful if c.path in used and c.path not in answered]
    harmful = [cause for cause in harmful if not is_harmless(cause, evidence)]
    extra = [key for key in structure(evidence).state_keys if key.endswith(EXTRA_STATE)]
    by_itself = {"self" + ("." + key).removesuffix("." + EXTRA_STATE) for key in extra}
    harmful = [
        cause
        for cause in harmful
        if cause.code is not Code.AVERAGED_COPY or by_itself.isdisjoint(enclosing_paths(cause.path))
    ]
    yield from _one_of_numbers(harmful, evidence)


def _one_of_numbers(causes: Iterable[Cause], evidence: Evidence) -> Iterator[Cause]:
    """`causes`, those of an object's tensors of one number as one that has the others in its group.

    PyTorch lets them mix with a CUDA tensor, so that one warning of them all is enough.
    """
    facts = {fact.path: fact for fact in evidence.tensors}
    first: dict[tuple[str, str], Cause] = {}
    for cause in causes:
        fact = facts.get(cause.path)
        if cause.code is not Code.MEMBER_TENSOR or fact is None or fact.shape:
            yield cause
            continue
        key = cause.path.rpartition(".")[0], cause.file
        known = first.setdefault(key, cause)
        first[key] = replace(known, group=(*known.group, fact))
    yield from first.values()


def _shown_calls(runs: Iterable[Run]) -> Iterator[Run]:
    """Each call; then what those that raised show beyond that line, each meeting as a call."""
    calls = list(runs)
    yield from calls
    for run in calls:
        if helped := run.helped:
            yield from (structs.replace(run, raised=raised, helped=None) for raised in helped.met)
            # What an earlier call made may be among the outputs of a later one.
            outputs = () if run.phase in AFTER_MOVES else helped.outputs or ()
            yield structs.replace(run, raised=None, outputs=outputs)


def _causes_of_call(run: Run, evidence: Evidence) -> Iterator[Cause]:
    """The cause that a call raised, and those of its misplaced results."""
    if run.phase in APART or (run.phase is Phase.MOVED_BACK and structure(evidence).overrides):
        return
    if len(structure(evidence).gpus) > 1:
        if cause := _mixed_parts(run, evidence):
            yield cause
        return
    cause = constructor_cause(run, evidence) or cause_of(run, evidence)
    cause = cause or _untraced_call(run, evidence)
    if cause and run.phase is Phase.RESUMED:
        yield _after_loading(cause, run, evidence)
        return
    if cause:
        yield blame_override(cause, evidence)
    yield from (blame_override(result, evidence) for result in misplaced_results(run, evidence))


def _causes_of_training(evidence: Evidence) -> Iterator[Cause]:
    """Why a step of training raised on the CPU for its devices, where a call works.

    A Parameter on CUDA that no line put there is another instance's, which the audit has moved: a
    store of the whole process, such as pyro's, lends it. A program with one instance works.
    """
    baseline, training = evidence.run_of(Phase.CPU), evidence.cpu_training
    if not training or not training.raised or not baseline or baseline.raised:
        return
    operand = misplaced_operand(training.raised.origin, "cpu")
    if operand is None or not operand.is_parameter or operand.line:
        step = Run("cpu", training.raised, phase=Phase.TRAINED)
        yield from _causes_of_call(step, evidence)


def _mixed_parts(run: Run, evidence: Evidence) -> Cause | None:
    """Why a module that is split raised: a tensor on the CPU, or one of another part.

    1. An operand on the CPU that is not registered is followed back as in any call: the GPU of the
       other operands is where it was expected.
    2. Otherwise the cause names the line that mixes: it met a registered tensor on the CPU, which
       it names as well, or tensors of two GPUs.
    """
    if run.raised is None or not is_mismatch(run.raised):
        return None
    raised, registered = run.raised.origin, {f.path for f in evidence.tensors if f.role != "plain"}
    on_cpu = [operand for operand in raised.operands if operand.device == "cpu" and operand.shape]
    on_cuda = [operand.device for operand in raised.operands if operand.device != "cpu"]
    if on_cpu and on_cuda and on_cpu[0].name not in registered:
        return cause_of(structs.replace(run, device=on_cuda[0]), evidence)
    where = raised.code or raised.operation or "forward"
    cause = Cause(Code.DEVICE_MISMATCH, where, raised.line, how=How.PARTS, file=raised.file)
    gpus = " and ".join(structure(evidence).gpus)
    held = on_cpu[0].name if on_cpu else ""
    return replace(cause, expected=gpus, name=held, raised=run.raised)


def _after_loading(cause: Cause, run: Run, evidence: Evidence) -> Cause:
    """`cause`, for a module that works on CUDA until it loads a checkpoint there."""
    code = Code.AVERAGED_COPY if cause.code is Code.AVERAGED_COPY else Code.STALE_DEVICE
    cause = replace(cause, code=code, how=How.LOADED, expected=run.device)
    fact = next((f for f in evidence.tensors if f.path == cause.path and not cause.line), None)
    return replace(cause, line=fact.line, file=fact.file) if fact else cause


def _untraced_call(run: Run, evidence: Evidence) -> Cause | None:
    """The mixed devices of a call that ran on the CPU, if an exception tells no more than that.

    What is handed to a script no trace sees. So it is the only tensor that the module has not
    registered, if there is one.
    """
    if run.phase in (Phase.CPU, Phase.CPU_AGAIN):
        return None
    cause = untraced_cause(run.raised, run.device)
    held = list(held_causes(evidence)) if cause and cause.how is How.SCRIPTED else []
    if run.raised and len(held) == 1:
        met = replace(held[0], shown=Shown.CALL, operation="torch.jit.script")
        return replace(met, used_line=run.raised.line, used_file=run.raised.file)
    return replace(cause, how=How.TRAINED) if cause and run.phase is Phase.TRAINED else cause
