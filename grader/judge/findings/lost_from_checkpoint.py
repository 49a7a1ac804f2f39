"""`lost-from-checkpoint`: learned state that `state_dict()` does not hold."""

from __future__ import annotations

from collections.abc import Iterator

from grader.evidence import Evidence, Place
from grader.judge.attribution import Shown
from grader.judge.codes import Code
from grader.judge.findings.base import Facts, Rule, Sighting
from grader.judge.lookups import registered_as
from grader.judge.outputs import differences


class LostFromCheckpoint(Rule):
    """A reloaded module gives other outputs."""

    code = Code.LOST_FROM_CHECKPOINT
    summary = "Learned state is missing in `state_dict()`."
    shows = "silent"
    checks = ("checkpoint", "state_dict")

    def search(self, facts: Facts) -> Iterator[Sighting]:
        """By the buffers that the exercise wants saved; in an audit, by loading a checkpoint."""
        return self._unsaved_buffers(facts) if facts.rubric else self._reloaded(facts.evidence)

    def _unsaved_buffers(self, facts: Facts) -> Iterator[Sighting]:
        for fact, expected, first in registered_as(facts.evidence, facts.rubric):
            if not first and "parameter" not in (fact.role, expected.role) and not fact.persistent:
                finding = self.finding(
                    fact.path,
                    fact.line,
                    f"`{fact.path}` is a buffer with persistent=False, so `state_dict()` leaves it "
                    "out: a reloaded model starts with another value.",
                    "Drop `persistent=False` where it is registered.",
                )
                yield Sighting(finding)

    def _reloaded(self, evidence: Evidence) -> Iterator[Sighting]:
        checkpoint = evidence.checkpoint
        if checkpoint is None or evidence.random:
            return
        if not any(differences(checkpoint.after, checkpoint.before)):
            return
        place = (*checkpoint.unsaved, Place("state_dict()"))[0]
        finding = self.finding(
            place.path,
            place.line,
            f"After two training steps, a fresh module that loads the `state_dict()` gives other "
            f"outputs: `{place.path}` changed in training and is not saved.",
            "Keep it as a buffer (a flag or a number as a 0-dim tensor), or save it through "
            "`get_extra_state` and `set_extra_state`.",
        )
        yield Sighting(finding, Shown.RELOAD)


RULE = LostFromCheckpoint()
