"""`generator-device`: a generator draws on a device that is not its own."""

from __future__ import annotations

from grader.judge.findings.base import Code, Rule


class GeneratorDevice(Rule):
    """A `torch.Generator` belongs to the device it was made for."""

    code = Code.GENERATOR_DEVICE
    summary = "A generator belongs to another device."
    shows = "loud"
    message = (
        "{used} draws on one device with a generator of another: a `torch.Generator` "
        "belongs to the device it was made for."
    )
    fix = "Make the generator on the device of the input, and draw on that device."
