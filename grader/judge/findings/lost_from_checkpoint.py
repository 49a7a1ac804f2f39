"""`lost-from-checkpoint`: state that `state_dict()` does not hold, or that cannot be loaded."""

from __future__ import annotations

from collections.abc import Iterator

from grader.judge.findings.base import Code, Fault, Rule, RuleContext, Shown
from grader.judge.lookups import registered_as
from grader.judge.outputs import differences
from grader.schema import Checkpoint, Evidence, Location


class LostFromCheckpoint(Rule):
    """A reloaded module gives other outputs, or a new instance does not load the checkpoint."""

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
                    "Register it with `persistent=True`, which is the default.",
                )

    def _key_faults(self, checkpoint: Checkpoint) -> Iterator[Fault]:
        """The tensors for whose keys `load_state_dict` raises."""
        for at in checkpoint.late:
            yield self.finding(
                at,
                f"`{at.path}` is registered only by a call. A new instance has no place for it, so "
                "`load_state_dict()` raises: the checkpoint has an unexpected key.",
                "Register it in `__init__`, in its full shape; with `persistent=False` if each "
                "instance computes it again.",
            )
        for at in checkpoint.gone:
            yield self.finding(
                at,
                f"`{at.path}` is registered by the constructor, and a call takes it away. A new "
                "instance expects it, so `load_state_dict()` raises: the checkpoint lacks its key.",
                "Keep it registered, and write to it in place.",
            )

    def _reload_faults(self, evidence: Evidence) -> Iterator[Fault]:
        checkpoint = evidence.reloaded
        if checkpoint is None:
            return
        if checkpoint.late or checkpoint.gone:  # numbers differ for the same reason
            yield from self._key_faults(checkpoint)
            return
        if evidence.random or not any(differences(checkpoint.after, checkpoint.before)):
            return
        location = (*checkpoint.unsaved, Location("state_dict()"))[0]
        yield self.finding(
            location,
            f"After two training steps, a fresh module that loads the `state_dict()` gives other "
            f"outputs: `{location.path}` changed in training and is not saved.",
            "Keep it as a buffer (a flag or a number as a 0-dim tensor), or save it through "
            "`get_extra_state` and `set_extra_state`; keep layers in an `nn.ModuleList`.",
        )
