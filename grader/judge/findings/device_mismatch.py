"""`device-mismatch`: a call that raises for its devices, and no sign of whose tensor it was."""

from __future__ import annotations

from grader.judge.attribution.operands import words_on_devices
from grader.judge.findings.base import Cause, Code, Fault, How, Rule
from grader.judge.wording import describe
from grader.schema import Raised


class DeviceMismatch(Rule):
    """Ran on the CPU, raises on CUDA, and speaks of devices: a tensor is on the wrong one."""

    code = Code.DEVICE_MISMATCH
    summary = "The call raises for its devices, in code that hides whose tensor it was."
    shows = "loud"
    checks = ("forward",)

    def explain(self, cause: Cause) -> Fault:
        """What was raised; the probe could not follow a tensor back."""
        assert cause.raised is not None
        if cause.how is How.PARTS:
            return self._mixed_parts(cause, cause.raised)
        if cause.how is How.SCRIPTED:
            return self._in_torch_script(cause, cause.raised)
        placed, works = f"Placed on {cause.expected}, it raises", "Built on the CPU it runs there"
        if cause.how is How.TRAINED:
            placed, works = f"A training step on {cause.expected} raises", "Other calls run there"
        return self.finding(
            cause,
            f"{placed} {_error_text(cause.raised)}. {works}, so one of its tensors is on another "
            "device now. The audit could not see which one.",
            "Print the `.device` of every tensor that this line hands on. Register the one that "
            "stayed behind as a buffer, or make it on the input's device.",
        )

    def _in_torch_script(self, cause: Cause, raised: Raised) -> Fault:
        """What is traced or scripted has no Python left whose tensors could be followed."""
        return self.finding(
            cause,
            f"Placed on {cause.expected}, it raises {_error_text(raised)}. A trace keeps what was "
            "made in it, and each device, as constants; a script makes a tensor on the CPU where "
            "it names no device.",
            "Register what that line makes as a buffer, before you trace or script the module.",
        )

    def _mixed_parts(self, cause: Cause, raised: Raised) -> Fault:
        """A model that is split over several GPUs brings a tensor to the wrong one, or to none."""
        mixing = f"line {cause.line}" if cause.line else "its call"
        left = f" `{cause.name}` is on the CPU." if cause.name else ""
        return self.finding(
            cause,
            f"The constructor puts the module's parts on {cause.expected}, and {mixing} "
            f"mixes tensors of different devices: it raises {_error_text(raised)}.{left}",
            "Bring what one part gives to the device of the part that takes it, such as that of "
            "its first weight; and put every buffer on the device of the part that reads it.",
        )


def _error_text(raised: Raised) -> str:
    """The exception, and the words on devices that are not its own first line."""
    error, words = describe(raised), words_on_devices(raised)
    return error if words in error else f"{error} ({words})"
