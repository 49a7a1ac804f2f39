"""`hard-coded-device`: a tensor that is put on one device, whatever device the module is on."""

from __future__ import annotations

import re
from collections.abc import Iterator

from grader.judge.findings.base import Cause, Code, Fault, How, Rule, RuleContext
from grader.schema import TensorFact

# In the source text of the assigned value: `.cuda(`, `"cuda`, `'cuda:0`.
_NAMED = re.compile(r"\.cuda\(|[\"']cuda")


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
            f"inputs are on {cause.expected}: it works on that one device only.",
            "Take the device from a tensor that is there: the input's, or a registered tensor's.",
        )

    def search(self, context: RuleContext) -> Iterator[Fault]:
        """In an exercise, a warning: a constructor that puts a registered tensor on CUDA by name.

        If it does so only where CUDA is available, it may; the calls show whether it can leave.
        """
        for fact in () if context.is_audit else context.evidence.tensors:
            is_elsewhere = fact.device not in ("cpu", "meta")
            if is_elsewhere and fact.role != "plain" and _NAMED.search(fact.value):
                yield self._put_by_name(fact)

    def _put_by_name(self, fact: TensorFact) -> Fault:
        """Registered, so it can move on, but made for CUDA only."""
        return self.finding(
            fact,
            f"`{fact.path}` is put on {fact.device} by the constructor. It can move on from there, "
            "but where there is no CUDA the constructor raises.",
            "Leave that to whoever moves the module: `.to()` takes it along.",
            "warning",
        )
