"""Whether a trained module, saved and loaded elsewhere, is the same; the rules have looked."""

from __future__ import annotations

from grader.judge.attribution import Shown
from grader.judge.checks.answer import Answer, Problems


def checkpoint(answer: Answer) -> Problems:
    """The messages of the audit's findings on reloading, then on tensors that a move parts."""
    for shown in (Shown.RELOAD, Shown.PARTED):
        yield from (
            sighting.finding.message for sighting in answer.audited if sighting.shown is shown
        )
