"""`hard-coded-device`: a tensor that is put on one device, whatever device the module is on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from grader.judge.findings.base import Cause, Code, Fault, How, Rule, RuleContext
from grader.judge.lookups import is_result
from grader.judge.wording import join_names
from grader.schema import Location, TensorFact

NAMED = (".cuda(", '"cuda', "'cuda")  # in the source text of an assigned value


class HardCodedDevice(Rule):
    """The module works on the named device only."""

    code = Code.HARD_CODED_DEVICE
    summary = '`"cuda"` or `.cuda()` is written into the code.'
    shows = "loud on a second GPU; silent for results"

    def explain(self, cause: Cause) -> Fault:
        """The constructor made it elsewhere, or a call met it or gave it back."""
        if cause.how is How.HELD:
            return self.finding(
                cause,
                f"`{cause.path}` is made on {cause.device}, whatever device the module is meant "
                "for: it fails on a machine without CUDA, and on any other GPU.",
                "Make it on the CPU and register it; `.to()` of the module then moves it with the "
                "rest.",
            )
        return self.finding(
            cause,
            f"line {cause.line} puts a tensor on {cause.device}, although the module and its "
            f"inputs are on {cause.expected}: it works only where these are on {cause.device} too.",
            f"Take the device from a tensor that is there: {cause.device_of}.",
        )

    def search(self, context: RuleContext) -> Iterator[Fault]:
        """In an exercise, a warning: a constructor that puts a registered tensor on CUDA by name.

        If it does so only where CUDA is available, it may; the calls show whether it can leave.
        """
        meant = [f for f in context.evidence.tensors if f.role != "plain" or is_result(f)]
        elsewhere = [fact for fact in meant if fact.device not in ("cpu", "meta")]
        if context.rubric is None:
            return
        named = [f for f in elsewhere if any(text in f.value for text in NAMED)]
        yield from (self._put_by_name(fact) for fact in named if fact.role != "plain")
        if context.rubric.recipe.takes_device and elsewhere and not named:
            yield self._put_by_default(elsewhere)

    def _put_by_default(self, facts: list[TensorFact]) -> Fault:
        """Built without a `device`, where that has to mean the default device."""
        fault = self.finding(
            Location("device", facts[0].line, file=facts[0].file),
            f"Built without a `device`, it has {join_names([fact.path for fact in facts])} on "
            f"{facts[0].device}: the constructor chooses a GPU in the caller's place.",
            "Hand `device` on as it is: None means the default device to every function that makes "
            "a tensor.",
        )
        return replace(fault, variant="GPU by default")

    def _put_by_name(self, fact: TensorFact) -> Fault:
        """Registered, so it can move on, but made for CUDA only."""
        return self.finding(
            fact,
            f"`{fact.path}` is put on {fact.device} by the constructor. It can move on from there, "
            "but where there is no CUDA the constructor raises.",
            "Leave that to whoever moves the module: `.to()` takes it along.",
            "warning",
        )
