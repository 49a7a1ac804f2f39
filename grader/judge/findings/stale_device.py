"""`stale-device`: a cache, or a remembered device, from before the move."""

from __future__ import annotations

from collections.abc import Iterator

from grader.judge.findings.base import Cause, Code, Fault, How, Rule, RuleContext, Shown
from grader.judge.lookups import changed_by_moves
from grader.schema import Location


class StaleDevice(Rule):
    """A move changes Parameters and buffers, and nothing else that the module remembers."""

    code = Code.STALE_DEVICE
    summary = "A cache or `self.device` is from before the move."
    shows = "loud; silent where data is moved back"
    searched = Shown.NUMBERS

    def explain(self, cause: Cause) -> Fault:
        """A call met a tensor of an earlier call, of a checkpoint, or on a remembered device."""
        if cause.how is How.LOADED:
            return self.loaded_fault(cause)
        if cause.how is How.REMEMBERED:
            return self._remembered_fault(cause)
        return self._cached_fault(cause)

    def _remembered_fault(self, cause: Cause) -> Fault:
        there = f"line {cause.line} puts a tensor there"
        if cause.source == "input":  # a move to where it is already leaves no trace
            there = f"`{cause.name}` is still there when {cause.used} uses it"
        return self.finding(
            cause,
            f"`{cause.path}` still says {cause.device} after `.to()`, which does not know it, and "
            f"{there}.",
            f"Ask for the device where it is needed: {cause.device_of}.",
        )

    def _cached_fault(self, cause: Cause) -> Fault:
        made_by = f"line {cause.line}" if cause.line else "the module"
        holder, again = "A cache", "Make the device a part of the key by which it is looked up"
        if cause.source in ("attribute", "global"):
            holder, again = f"`{cause.path}`", "Make it again when its device is not the input's"
        used = f"`{cause.result}` is made of it" if cause.result else f"{cause.used} uses it"
        return self.finding(
            cause,
            f"{holder} keeps a tensor that {made_by} made in an earlier call, on {cause.device}; "
            f"after the module has moved, {used} all the same.",
            f"{again}, or keep it as a buffer with `persistent=False`.",
        )

    def search(self, context: RuleContext) -> Iterator[Fault]:
        """In an audit, silently: a move that changes what the module gives."""
        if context.is_audit and (run := changed_by_moves(context.evidence)):
            yield self.finding(
                Location("forward"),
                f"The module gives other numbers on {run.device} than it gave on the CPU "
                "before, for the same inputs: something it remembers did not move along.",
                "Compare what it caches, and when; make it again when the device has changed.",
            )
