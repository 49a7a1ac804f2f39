"""`registration-misuse`: a registration that fails, or undoes itself."""

from __future__ import annotations

from collections.abc import Iterator

from grader.judge.findings.base import Code, Fault, Rule, RuleContext
from grader.judge.lookups import structure


class RegistrationMisuse(Rule):
    """Most are told by the text of an exception: see `patterns.py`."""

    code = Code.REGISTRATION_MISUSE
    summary = "A registration fails or undoes itself."
    shows = "silent for `None`; loud otherwise"
    checks = ("parameters", "buffers", "forward", "state_dict")

    def search(self, context: RuleContext) -> Iterator[Fault]:
        """A buffer that an assignment replaced by None."""
        for buffer in structure(context.evidence).emptied:
            yield self.finding(
                buffer,
                f"`{buffer.path}` was registered as a buffer, and is None now: `register_buffer` "
                "returns None, and assigning its result puts that None in the buffer's place.",
                "Register without assigning: leave out what stands before the call.",
            )
