"""How a tensor got on the wrong device: an ordered table, whose first row that holds decides.

What an operation met and what a call gave are asked the same questions. A row has a condition, and
what is then the cause.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

from msgspec import structs

from grader.judge.attribution.cause import Cause, How, Shown
from grader.judge.attribution.held import second_name, unregistered_cause
from grader.judge.codes import Code
from grader.judge.lookups import device_attribute, is_result, structure
from grader.schema import Evidence, Operand, Raised, RememberedDevice, Run, TensorFact


def made_here(where: str, operand: Operand, run: Run) -> Cause:
    """That this call made the operand, as long as nothing else is known of it."""
    return Cause(
        Code.MADE_IN_FORWARD,
        where,
        operand.line,
        file=operand.file,
        how=How.MADE,
        name=operand.name,
        source=operand.source,
        device=operand.device,
        expected=run.device,
        site=operand.site,
    )


@dataclass(frozen=True)
class Misplaced:
    """A tensor on the wrong device, and what tells how it got there.

    Attributes:
        operand: it; of a result, what is known of it as an operand.
        base: the cause so far: what this call made. evidence: what the probe saw.
        raised: what the operation that met it raised, None of a result.
        is_late: whether only a call after a move met it, so that an earlier call may have made it.
    """

    operand: Operand
    base: Cause
    evidence: Evidence
    raised: Raised | None = None
    is_late: bool = False

    def cause(self) -> Cause:
        """The cause of the first row that holds; otherwise this call made it, naming no device."""
        return next((cause(self) for holds, cause in ROWS if holds(self)), self.base)

    @cached_property
    def fact(self) -> TensorFact | None:
        """What the module held at its path when it was constructed: a plain one hides a buffer."""
        return {fact.path: fact for fact in self.evidence.tensors}.get(self.operand.name)

    @property
    def is_plain(self) -> bool:
        """Whether the module has held it since, and has not registered it."""
        return self.fact is not None and self.fact.role == "plain"

    @property
    def was_moved(self) -> bool:
        """Whether a line moved it, and the old tensor was used."""
        return self.operand.moved_line > 0 and not self.operand.moved_in_place

    @property
    def was_rebound(self) -> bool:
        """Whether a line moved it in place, and did not ask another tensor where to."""
        moved_at = self.operand.moved_at
        asks_a_tensor = moved_at is not None and moved_at.named.endswith(".device")
        return self.operand.moved_in_place and not asks_a_tensor

    @property
    def is_held(self) -> bool:
        """Whether an attribute or a global held it before this call.

        Not what this call made and an attribute keeps, where no plain tensor was constructed; but
        for a line that asks a variable for the device: that is a cache, as far as one can see.
        """
        operand = self.operand
        asks = self.named and "cpu" not in self.named and "cuda" not in self.named
        is_made = operand.line and not operand.earlier and not operand.is_parameter
        is_new = is_made and not asks and not self.is_plain
        return operand.source == "global" or (operand.source == "attribute" and not is_new)

    @property
    def is_older(self) -> bool:
        """Whether an earlier call made it, as far as one can see."""
        unknown = self.operand.source == "unknown" and self.is_late
        return self.is_held or self.operand.earlier or unknown

    @property
    def is_put_there(self) -> bool:
        """Whether the constructor named its device."""
        fact = self.fact
        return fact is not None and fact.device != "cpu" and not (self.is_plain and is_result(fact))

    @property
    def named(self) -> str:
        """The source text of what named its device; `""` if nothing did."""
        return self.operand.site.named if self.operand.site else ""

    @cached_property
    def remembered(self) -> RememberedDevice | None:
        """The attribute that named its device, or that of a variable which its line asks.

        It was seen before the move. A module with an `_apply` may have set it since.
        """
        if named := device_attribute(self.operand.site, self.evidence):
            return named
        held = structure(self.evidence)
        moving = {own.path.rpartition(".")[0] for own in held.own_apply}
        devices = held.devices if self.named.isidentifier() else ()
        same = (at for at in devices if at.device == self.operand.device)
        return next((at for at in same if at.path.rpartition(".")[0] not in moving), None)

    @property
    def remembered_for_inputs(self) -> RememberedDevice | None:
        """The attribute to whose device an input was moved."""
        devices = structure(self.evidence).devices
        return next((at for at in devices if at.device == self.operand.device), None)

    @property
    def moved_as_remembered(self) -> RememberedDevice | None:
        """The attribute that told a line where to move it, in place."""
        moved_at = self.operand.moved_at if self.operand.moved_in_place else None
        return device_attribute(moved_at, self.evidence)

    @property
    def another_name(self) -> TensorFact | None:
        """The plain attribute that was the same object, for what no call has made."""
        return second_name(self.fact, self.evidence.tensors) if self.operand.constructed else None


def _on_device_of(
    at: RememberedDevice | None, tensor: Misplaced, line: int = 0, file: str = ""
) -> Cause:
    """A line put it on the device that an attribute remembers."""
    assert at is not None
    cause = replace(tensor.base, code=Code.STALE_DEVICE, how=How.REMEMBERED, path=at.path)
    return replace(cause, line=line or at.line, file=file if line else at.file, device=at.device)


def _moved_as_remembered(tensor: Misplaced) -> Cause:
    operand = tensor.operand
    return _on_device_of(tensor.moved_as_remembered, tensor, operand.moved_line, operand.moved_file)


def _made_as_remembered(tensor: Misplaced) -> Cause:
    return _on_device_of(tensor.remembered, tensor, tensor.operand.line, tensor.operand.file)


def _input_as_remembered(tensor: Misplaced) -> Cause:
    return _on_device_of(tensor.remembered_for_inputs, tensor)


def _result_dropped(tensor: Misplaced) -> Cause:
    """The cause of what a line moved, where the old tensor was used."""
    operand, raised, moved_at = tensor.operand, tensor.raised, tensor.operand.moved_at
    used_at = raised.site if raised else None
    if moved_at and used_at and moved_at.function == used_at.function:
        moved_at = structs.replace(moved_at, scope=used_at.scope)
    where = operand.name or (raised.code if raised else "")
    cause = replace(tensor.base, code=Code.TO_RESULT_DROPPED, path=where, site=moved_at)
    cause = replace(cause, line=operand.moved_line, file=operand.moved_file)
    group = (tensor.fact,) if tensor.fact else ()
    return replace(cause, group=group, moved_code=operand.moved_code)


def _rebound(tensor: Misplaced) -> Cause:
    """A line moved it in place, or gave it other data."""
    operand = tensor.operand
    cause = replace(tensor.base, site=operand.moved_at, path=operand.name)
    cause = replace(cause, line=operand.moved_line, file=operand.moved_file)
    is_told = not operand.moved_at or operand.moved_at.named or operand.device != "cpu"
    return replace(cause, code=Code.HARD_CODED_DEVICE) if is_told else cause


def _unmoved_input(tensor: Misplaced) -> Cause:
    base = tensor.base
    cause = replace(base, code=Code.INPUT_TRANSFER, path=base.name)
    return replace(cause, line=base.used_line, file=base.used_file)


def _in_loss(tensor: Misplaced) -> Cause:
    base, fact = tensor.base, tensor.fact
    known = fact or tensor.operand
    line, file = (known.line, known.file) if known.line else (base.used_line, base.used_file)
    cause = replace(base, code=Code.CRITERION_STATE, path=base.name, line=line, file=file)
    return replace(cause, path=fact.holder.path, group=(fact,)) if fact and fact.holder else cause


def _put_there(tensor: Misplaced) -> Cause:
    fact = tensor.fact
    assert fact is not None
    cause = replace(tensor.base, code=Code.HARD_CODED_DEVICE, path=fact.path, device=fact.device)
    return replace(cause, line=fact.line, file=fact.file)


def _unregistered(tensor: Misplaced) -> Cause:
    """Why the module has not registered it, and the operation that met it."""
    fact, base = tensor.fact if tensor.is_plain else tensor.another_name, tensor.base
    assert fact is not None
    cause = unregistered_cause(fact, tensor.evidence.tensors)
    used = replace(cause, used_line=base.used_line, used_file=base.used_file, result=base.result)
    return replace(used, shown=Shown.CALL, operation=base.operation)


def _layer(tensor: Misplaced) -> Cause:
    """A Parameter of a module that nothing holds."""
    name = tensor.base.name if tensor.operand.source == "attribute" else ""
    layer = name.rpartition(".")[0]  # that of `self.fc.weight` is `self.fc`
    where = (name if layer == "self" else layer) or f"line {tensor.base.line}"
    return replace(tensor.base, code=Code.LAYER_IN_FORWARD, path=where)


def _kept(tensor: Misplaced) -> str:
    """What keeps it: the name of what holds it, or the line."""
    operand = tensor.operand
    return operand.name if tensor.is_held else operand.code or "a cache"


def _imported(tensor: Misplaced) -> Cause:
    """It was made when the file was imported."""
    cause = replace(tensor.base, code=Code.MEMBER_TENSOR, how=How.IMPORTED)
    return replace(cause, path=tensor.operand.name)


def _in_a_closure(tensor: Misplaced) -> Cause:
    """The constructor made it, and what no attribute leads to keeps it: the hook of a Parameter."""
    cause = replace(tensor.base, code=Code.OPAQUE_HOLDER, path=_kept(tensor))
    return replace(cause, holder="closure or another object")


def _cached(tensor: Misplaced) -> Cause:
    operand = tensor.operand
    cause = replace(tensor.base, code=Code.STALE_DEVICE, how=How.CACHED, path=_kept(tensor))
    return replace(cause, line=operand.line, file=operand.file or cause.file)


def _by_optimizer(tensor: Misplaced) -> Cause:
    """An optimizer's step made it in an earlier call."""
    cause = replace(tensor.base, code=Code.STALE_OPTIMIZER, how=How.CACHED)
    return replace(cause, path=_optimizer(tensor))


def _hard_coded(tensor: Misplaced) -> Cause:
    operand = tensor.operand
    is_kept_now = operand.source == "attribute" and not tensor.is_older
    path = operand.name if is_kept_now else operand.code
    return replace(tensor.base, code=Code.HARD_CODED_DEVICE, path=path)


def _optimizer(tensor: Misplaced) -> str:
    """The optimizer whose step made it in an earlier call; `""` if none did."""
    before, is_step, _ = tensor.operand.code.partition(".step(")
    return before.split()[-1] if is_step and before and tensor.is_older else ""


def _is_keyed_by_name(tensor: Misplaced) -> bool:
    """Whether a cache keeps it under the name of a device."""
    site = tensor.operand.site
    return tensor.is_older and site is not None and site.is_current and _kept(tensor).endswith("]")


ROWS: tuple[tuple[Callable[[Misplaced], object], Callable[[Misplaced], Cause]], ...] = (
    (lambda t: t.moved_as_remembered, _moved_as_remembered),
    (lambda t: t.was_rebound, _rebound),
    (lambda t: t.was_moved, _result_dropped),
    (lambda t: t.operand.source == "input" and t.remembered_for_inputs, _input_as_remembered),
    (lambda t: t.operand.source == "input", _unmoved_input),
    (lambda t: t.is_held and t.operand.in_loss, _in_loss),
    (lambda t: t.operand.source == "global" and not t.operand.earlier, _imported),
    (lambda t: t.is_held and t.is_put_there, _put_there),
    (lambda t: t.is_held and (t.is_plain or t.another_name), _unregistered),
    (lambda t: t.operand.is_parameter and t.operand.source != "global", _layer),
    (lambda t: t.is_older and t.operand.constructed and t.operand.source == "made", _in_a_closure),
    (_optimizer, _by_optimizer),
    (_is_keyed_by_name, _hard_coded),
    (lambda t: t.is_older, _cached),
    (lambda t: t.remembered, _made_as_remembered),
    (lambda t: t.operand.device != "cpu" or "cpu" in t.named, _hard_coded),
)
