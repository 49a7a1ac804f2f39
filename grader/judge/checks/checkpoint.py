"""Whether a trained module, saved and loaded elsewhere, is the same; the rules have looked."""

from __future__ import annotations

from grader.judge.attribution import Shown
from grader.judge.checks.answer import Answer, Problems


def checkpoint(answer: Answer) -> Problems:
    """Each thing that is wrong, in words."""
    for shown in (Shown.RELOAD, Shown.PARTED):
        yield from (each.finding.message for each in answer.audited if each.shown is shown)
