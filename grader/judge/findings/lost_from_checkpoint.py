"""`lost-from-checkpoint`: learned state that `state_dict()` does not hold."""

from __future__ import annotations

from collections.abc import Iterator

from grader.judge.findings.base import Code, Fault, Rule, RuleContext, Shown
from grader.judge.lookups import registered_as
from grader.judge.outputs import differences
from grader.schema import Evidence, Location


class LostFromCheckpoint(Rule):
    """A reloaded module gives other outputs."""

    code = Code.LOST_FROM_CHECKPOINT
    summary = "Learned state is missing in `state_dict()`."
    shows = "silent"
    searched = Shown.RELOAD
    checks = ("checkpoint", "state_dict")

    def search(self, context: RuleContext) -> Iterator[Fault]:
        """By the buffers that the exercise wants saved; in an audit, by loading a checkpoint."""
        if context.is_audit:
            return self._reload_faults(context.evidence)
        return self._unsaved_buffers(context)

    def _unsaved_buffers(self, context: RuleContext) -> Iterator[Fault]:
        for fact, expected, first in registered_as(context.evidence, context.rubric):
            if not first and "parameter" not in (fact.role, expected.role) and not fact.persistent:
                yield self.finding(
                    fact,
                    f"`{fact.path}` is a buffer with persistent=False, so `state_dict()` leaves it "
                    "out: a reloaded model starts with another value.",
                    "Drop `persistent=False` where it is registered.",
                )

    def _reload_faults(self, evidence: Evidence) -> Iterator[Fault]:
        checkpoint = evidence.reloaded
        if checkpoint is None or evidence.random:
            return
        if not any(differences(checkpoint.after, checkpoint.before)):
            return
        location = (*checkpoint.unsaved, Location("state_dict()"))[0]
        yield self.finding(
            location,
            f"After two training steps, a fresh module that loads the `state_dict()` gives other "
            f"outputs: `{location.path}` changed in training and is not saved.",
            "Keep it as a buffer (a flag or a number as a 0-dim tensor), or save it through "
            "`get_extra_state` and `set_extra_state`.",
        )
