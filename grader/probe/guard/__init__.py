"""Sees to it that what the probe looks at is what is there, though it shares a learner's process.

Four watchmen: `events` sees what the code asks of Python (frames, processes, the answers' files),
`seal` what it changed in PyTorch, Python and the grader, `threads` what it leaves running, and
`claims` where a module or tensor says of itself what is not so. They stand only where there are
marks to be had: who audits a module of their own has no reason to deceive.
"""

from __future__ import annotations

from typing import Any

from grader.probe.guard.claims import false_claim_of_module, false_claim_of_value
from grader.probe.guard.seal import Seal
from grader.probe.guard.threads import left_running


class TamperedError(BaseException):
    """The learner's code has tampered with the grader. No `except Exception` stops it."""


_taken_before: list[Seal] = []


def take_seal() -> None:
    """Remember what is there now, for the guards in this process and in copies of it."""
    _taken_before[:] = [Seal()]


def renew_seal() -> None:
    """Before a copy is made: take the seal again if it was taken and holds no longer."""
    if any(seal.broken() for seal in _taken_before):
        take_seal()


class Guard:
    """Remembers what was there before the learner's code, and looks again whenever it has run."""

    def __init__(self) -> None:
        self._seal = _taken_before[0] if _taken_before else Seal()

    def look(self, module: Any = None, returned: Any = None) -> None:
        """Look at what was there before, at the module and at what its code gave.

        Args:
            module: the learner's, if there is one yet.
            returned: what its code gave.

        Raises:
            TamperedError: something is not as it should be.
        """
        wrong = self._seal.broken() or left_running()
        if not wrong and module is not None:
            wrong = false_claim_of_module(module)
        if wrong := wrong or false_claim_of_value(returned):
            raise TamperedError(wrong)
