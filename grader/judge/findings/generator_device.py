"""`generator-device`: a generator draws on a device that is not its own."""

from __future__ import annotations

from grader.judge.attribution import Cause
from grader.judge.codes import Code
from grader.judge.findings.base import Rule
from grader.judge.report import Finding


class GeneratorDevice(Rule):
    """A `torch.Generator` belongs to the device it was made for."""

    code = Code.GENERATOR_DEVICE
    summary = "A generator belongs to another device."
    shows = "loud"

    def explain(self, cause: Cause) -> Finding:
        """PyTorch refused to draw with it."""
        return self.finding(
            cause.where,
            cause.line,
            f"line {cause.used_line} draws on one device with a generator of another: a "
            "`torch.Generator` belongs to the device it was made for.",
            "Make the generator on the device of the input, and draw on that device.",
        )


RULE = GeneratorDevice()
