"""`device-ignored`: a constructor that takes `device` leaves a part of the module elsewhere."""

from __future__ import annotations

from grader.judge.findings.base import Cause, Code, Finding, How, Rule
from grader.judge.wording import describe, join_names


class DeviceIgnored(Rule):
    """A factory knows only the `device=` that it is given, not that of the constructor."""

    code = Code.DEVICE_IGNORED
    summary = "Built with `device=`, a part of the module is elsewhere."
    shows = "loud"
    checks = ("placement",)

    def explain(self, cause: Cause) -> Finding:
        """On CUDA, a call met a registered tensor on the CPU, or the constructor mixed the two."""
        if cause.how is How.MADE:
            return self.finding(
                cause,
                f'Built with `device="{cause.expected}"`, the constructor itself raises: '
                f"`{cause.path}` makes a tensor on {cause.device}, and {cause.used} mixes it with "
                f"one on {cause.expected}.",
                "Pass `device` on to all that the constructor makes.",
            )
        others = [fact.path for fact in cause.group if fact.path != cause.path]
        more = f" So is {join_names(others)}." if others else ""
        raised = f": {describe(cause.raised, cause.file)}" if cause.raised else ""
        return self.finding(
            cause,
            f'Built with `device="{cause.expected}"`, the module has `{cause.path}` on '
            f"{cause.device}, and `forward` raises there{raised}.{more}",
            "Pass `device` on to all that the constructor makes; or, at its end, move the module "
            "itself there.",
        )
