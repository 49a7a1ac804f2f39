"""The operand that was on the wrong device when an operation raised, followed back."""

from __future__ import annotations

import re
from dataclasses import replace

from msgspec import structs

from grader.judge.attribution.cause import Cause, How, Shown
from grader.judge.attribution.held import second_name, unregistered_cause
from grader.judge.codes import Code
from grader.judge.lookups import AFTER_MOVES, device_attribute, is_result, run_of, structure
from grader.judge.wording import on_device
from grader.schema import (
    Evidence,
    Location,
    Operand,
    Phase,
    Raised,
    RememberedDevice,
    Run,
    Site,
    TensorFact,
)

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
OPTIMIZER_STEP = re.compile(r"([\w.]+)\.step\(")
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
    if INDEX.search(raised.message):
        return _index(operand, raised, run)
    if operand is None:
        return None
    by_optimizer = {(o.file, o.line) for o in evidence.optimizers if o.raised}
    if operand.line and (operand.file, operand.line) in by_optimizer:
        # `stale-optimizer` explains it
        return None
    cause = _misplaced_cause(operand, raised, run, evidence)
    is_of_a_call = cause.how is How.CACHED and operand.earlier and run.phase in AFTER_MOVES
    if is_of_a_call and run_of(evidence, Phase.CUDA) and not _fails_at_once(raised, evidence):
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
    if table is not None and table.moved_line:
        return _result_dropped(_base_cause(table, raised, run), table, raised, ())
    if LENGTHS in raised.message:
        return replace(cause, how=How.LENGTHS)
    if table is None:
        return cause
    where = table.name if table.source == "attribute" else raised.code
    how = How.MADE if table.source == "made" else How.HELD
    cause = replace(cause, path=where, how=how, used_line=table.line, used_file=table.file)
    return replace(cause, site=table.site)


def _base_cause(operand: Operand, raised: Raised, run: Run) -> Cause:
    """The fields that all causes share: the operand, and the operation that it met."""
    return Cause(
        Code.MADE_IN_FORWARD,  # until it is known to be another
        operand.name or operand.code or raised.code,
        operand.line or raised.line,
        file=operand.file if operand.line else raised.file,
        how=How.MADE,
        name=operand.name,
        source=operand.source,
        device=operand.device,
        expected=run.device,
        used_line=raised.line,
        used_file=raised.file,
        operation=raised.operation,
        site=None if operand.source == "unknown" else operand.site or raised.site,
    )


def _misplaced_cause(operand: Operand, raised: Raised, run: Run, evidence: Evidence) -> Cause:
    """How the operand got on its device.

    The first of these that holds decides:

    1. A line moved it to the device that it is on, or gave it other data: one that an attribute
       remembers, that is written into the code, or none.
    2. A line moved it, and the old tensor was used: the result was dropped.
    3. It is an input: not moved, or moved to a device that the module remembers.
    4. An attribute or a global held it before: see `_held_cause`.
    5. It is a Parameter of a module that nothing holds: a layer built in this call.
    6. An earlier call made it: a cache. Or the constructor did, and a closure keeps it. An operand
       of unknown origin counts as a cache's in a call after a move, unless a new instance's first
       call on CUDA fails as well.
    7. This call put it on a device that an attribute remembers.
    8. This call put it on CUDA, or named the CPU: a device written into the code.
    9. This call made it, and named no device.
    """
    base = _base_cause(operand, raised, run)
    if operand.moved_in_place and (rebound := _rebound_cause(base, operand, evidence)):
        return rebound
    if operand.moved_line and not operand.moved_in_place:
        held_as = (fact for fact in evidence.tensors if fact.path == operand.name)
        return _result_dropped(base, operand, raised, tuple(held_as)[:1])
    if operand.source == "input":
        return _unmoved_input(base, evidence)
    if operand.source == "global" or (
        operand.source == "attribute" and not _is_new(operand, evidence)
    ):
        return _held_cause(base, operand, evidence)
    if operand.is_parameter:
        return _layer_in_forward(base)
    is_late = run.phase in AFTER_MOVES and not _fails_at_once(raised, evidence)
    if operand.earlier or (operand.source == "unknown" and is_late):
        return _cached_cause(base, operand, operand.code or "a cache")
    remembered = device_attribute(operand.site, evidence) or _held_in_variable(operand, evidence)
    if remembered:
        return remembered_cause(base, remembered, operand.line, operand.file)
    if operand.device != "cpu" or "cpu" in _named(operand):
        kept_as = operand.name if operand.source == "attribute" else operand.code
        return replace(base, code=Code.HARD_CODED_DEVICE, path=kept_as)
    return base


def _is_new(operand: Operand, evidence: Evidence) -> bool:
    """Whether this call made what an attribute holds, where no plain tensor was constructed.

    Not where its line asks a variable for the device: that is a cache, as far as one can see.
    """
    plain = {fact.path for fact in evidence.tensors if fact.role == "plain"}
    is_made = bool(operand.line) and not operand.earlier and not operand.is_parameter
    named = _named(operand)
    asks = named and "cpu" not in named and "cuda" not in named
    return is_made and not asks and operand.name not in plain


def _named(operand: Operand) -> str:
    """The source text of what named its device; `""` if nothing did."""
    return operand.site.named if operand.site else ""


def _fails_at_once(raised: Raised, evidence: Evidence) -> bool:
    """Whether a new instance's first call on CUDA fails on the same line."""
    run = run_of(evidence, Phase.CUDA)
    if run is None or run.raised is None:
        return False
    lines = {(other.file, other.line) for other in run.exceptions}
    return run.is_stopped or (raised.file, raised.line) in lines


def _result_dropped(
    base: Cause, operand: Operand, raised: Raised, held_as: tuple[TensorFact, ...]
) -> Cause:
    where = operand.name or raised.code
    line, file = operand.moved_line, operand.moved_file
    moved_at = operand.moved_at
    if moved_at and raised.site and moved_at.function == raised.site.function:
        moved_at = structs.replace(moved_at, scope=raised.site.scope)
    cause = replace(base, code=Code.TO_RESULT_DROPPED, path=where, line=line, file=file)
    return replace(cause, group=held_as, moved_code=operand.moved_code, site=moved_at)


def _held_in_variable(operand: Operand, evidence: Evidence) -> RememberedDevice | None:
    """The attribute that remembers the operand's device, where its line asks for a variable's.

    It was seen before the move. A module with an `_apply` may have set it since.
    """
    if not _named(operand).isidentifier():
        return None
    moving = {own.path.rpartition(".")[0] for own in structure(evidence).own_apply}
    for at in structure(evidence).devices:
        if at.device == operand.device and at.path.rpartition(".")[0] not in moving:
            return at
    return None


def _unmoved_input(base: Cause, evidence: Evidence) -> Cause:
    for attribute in structure(evidence).devices:
        if attribute.device == base.device:  # it was moved, to where the module once was
            return remembered_cause(base, attribute, attribute.line, attribute.file)
    line, file = base.used_line, base.used_file
    return replace(base, code=Code.INPUT_TRANSFER, path=base.name, line=line, file=file)


def remembered_cause(base: Cause, attribute: RememberedDevice, line: int, file: str) -> Cause:
    """`base`, for a tensor that a line put on the device that `attribute` remembers."""
    return replace(
        base,
        code=Code.STALE_DEVICE,
        how=How.REMEMBERED,
        path=attribute.path,
        line=line or attribute.line,
        file=file if line else attribute.file,
        device=attribute.device,
    )


def _rebound_cause(base: Cause, operand: Operand, evidence: Evidence) -> Cause | None:
    """`base`, for what a line moved in place; None where it asked another tensor where to go."""
    line, file = operand.moved_line, operand.moved_file
    if remembered := device_attribute(operand.moved_at, evidence):
        return remembered_cause(base, remembered, line, file)
    if _asks_a_tensor(operand.moved_at):
        return None
    base = replace(base, site=operand.moved_at, path=operand.name, line=line, file=file)
    is_told = not operand.moved_at or operand.moved_at.named or operand.device != "cpu"
    return replace(base, code=Code.HARD_CODED_DEVICE) if is_told else base


def _asks_a_tensor(moved_at: Site | None) -> bool:
    """Whether a move went where another tensor was, as `layer.to(x.device)`."""
    return moved_at is not None and moved_at.named.endswith(".device")


def _cached_cause(base: Cause, operand: Operand, where: str) -> Cause:
    """`base`, for a tensor that is older than the call; where it has a name, that is `where`."""
    if operand.constructed and operand.source == "made":  # as the hook of a Parameter keeps it
        holder = "closure or another object"
        return replace(base, code=Code.OPAQUE_HOLDER, path=where, holder=holder)
    if stepped := OPTIMIZER_STEP.search(operand.code):
        return replace(base, code=Code.STALE_OPTIMIZER, how=How.CACHED, path=stepped[1])
    if operand.site and operand.site.is_current and where.endswith("]"):  # a key names its device
        return replace(base, code=Code.HARD_CODED_DEVICE, path=operand.code, how=How.MADE)
    cause = replace(base, code=Code.STALE_DEVICE, how=How.CACHED, path=where)
    return replace(cause, line=operand.line, file=operand.file or base.file)


def _layer_in_forward(base: Cause) -> Cause:
    layer = base.name.rpartition(".")[0] if base.source == "attribute" else ""
    where = base.name if layer == "self" else layer  # the layer of `self.fc.weight` is `self.fc`
    return replace(base, code=Code.LAYER_IN_FORWARD, path=where or f"line {base.line}")


def _held_cause(base: Cause, operand: Operand, evidence: Evidence) -> Cause:
    """How an operand that an attribute or a global holds got on its device.

    1. A loss function's tensor.
    2. A global: refilled by an earlier call (a cache), or made when the file was imported.
    3. Not on the CPU when constructed: a device written into the constructor.
    4. Registered, or not there after construction: the tensor of the constructor under a second
       name, which no move changes; else a layer or a tensor of this call, or a cache.
    5. Otherwise the module has held it since its construction and has not registered it.
    """
    facts = {fact.path: fact for fact in evidence.tensors}
    fact = facts.get(operand.name)
    if operand.in_loss:
        return _in_loss(base, operand, fact)
    if operand.source == "global":
        if operand.earlier:
            return _cached_cause(base, operand, operand.name)
        return replace(base, code=Code.MEMBER_TENSOR, how=How.IMPORTED, path=operand.name)
    if fact and fact.device != "cpu" and not (fact.role == "plain" and is_result(fact)):
        cause = replace(base, code=Code.HARD_CODED_DEVICE, path=fact.path, device=fact.device)
        return replace(cause, line=fact.line, file=fact.file)
    if fact is None or fact.role != "plain":
        if operand.constructed and (alias := second_name(fact, tuple(facts.values()))):
            return _used_from(base, unregistered_cause(alias, tuple(facts.values())))
        if operand.is_parameter:
            return _layer_in_forward(base)
        return _cached_cause(base, operand, operand.name)
    return _used_from(base, unregistered_cause(fact, tuple(facts.values())))


def _used_from(base: Cause, found: Cause) -> Cause:
    """`found`, with the operation that met it."""
    used = replace(found, used_line=base.used_line, used_file=base.used_file)
    return replace(used, shown=Shown.CALL, operation=base.operation)


def _in_loss(base: Cause, operand: Operand, fact: TensorFact | None) -> Cause:
    group = (fact,) if fact and fact.holder else ()
    where = fact.holder.path if fact and fact.holder else operand.name
    known = fact or operand
    line, file = known.line, known.file
    if not line:
        line, file = base.used_line, base.used_file
    cause = replace(base, code=Code.CRITERION_STATE, path=where, group=group)
    return replace(cause, line=line, file=file)
