"""`device-ignored`: a constructor that takes `device` leaves a part of the module elsewhere."""

from __future__ import annotations

from grader.judge.findings.base import Cause, Code, Fault, How, Rule
from grader.judge.wording import describe, join_names

PASSED_ON = (
    "Pass `device` on to all that the constructor makes; or name no device there, and move the "
    "module itself at its end."
)
LATER = (
    "Move the module once all of it is there; or make what is added later on the device of the "
    "weights that are there already."
)


class DeviceIgnored(Rule):
    """A factory knows only the `device=` that it is given, not that of the constructor."""

    code = Code.DEVICE_IGNORED
    summary = "Built with `device=`, a part of the module is elsewhere."
    shows = "loud"
    checks = ("placement",)

    def explain(self, cause: Cause) -> Fault:
        """On CUDA, a call met a registered tensor on the CPU, or the constructor mixed the two."""
        if cause.how is How.MADE:
            return self.finding(
                cause,
                f'Built with `device="{cause.expected}"`, the constructor itself raises: '
                f"`{cause.path}` makes a tensor on {cause.device}, and {cause.used} mixes it with "
                f"one on {cause.expected}.",
                "Pass `device` on to all that the constructor makes.",
            )
        there = (
            f"Handed out on {cause.expected}"
            if cause.how is How.HANDED_OUT
            else f'Built with `device="{cause.expected}"`'
        )
        others = [fact.path for fact in cause.group if fact.path != cause.path]
        more = f" So is {join_names(others)}." if others else ""
        raised = f": {describe(cause.raised, cause.file)}" if cause.raised else ""
        return self.finding(
            cause,
            f"{there}, the module has `{cause.path}` on {cause.device}, and `forward` raises "
            f"there{raised}.{more}",
            LATER if cause.how is How.HANDED_OUT else PASSED_ON,
        )
