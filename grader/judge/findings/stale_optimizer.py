"""`stale-optimizer`: an optimizer that the module holds, built before the module was complete."""

from __future__ import annotations

from collections.abc import Iterator

from grader.judge.findings.base import Cause, Code, Fault, Rule, RuleContext, Shown
from grader.judge.wording import count, describe


class StaleOptimizer(Rule):
    """It updates tensors that were replaced, or keeps a state that did not move."""

    code = Code.STALE_OPTIMIZER
    summary = "The optimizer holds Parameters that were replaced."
    shows = "silent; loud for Adagrad"
    searched = Shown.PARTED
    checks = ("checkpoint", "training")

    def explain(self, cause: Cause) -> Fault:
        """Of one that an earlier call has stepped, or built."""
        return self.finding(
            cause,
            f"`{cause.path}` keeps a state on {cause.device}, from a step in an earlier call. A "
            f"move of the module does not know it, so the step in {cause.used} raises.",
            "Build the optimizer after the move; or bring its state along then: "
            f"`{cause.path}.load_state_dict({cause.path}.state_dict())`.",
        )

    def search(self, context: RuleContext) -> Iterator[Fault]:
        """In an audit: its tensors are not the module's, or its step raises after a move."""
        for optimizer in context.evidence.optimizers if context.is_audit else ():
            fix = "Build the optimizer last: after the module is complete and has been moved."
            if optimizer.strangers:
                tensors = count(optimizer.strangers, "tensor")
                harm = f"updates {tensors} that the module no longer uses, replaced after the "
                harm += "optimizer was built"
            elif optimizer.raised and optimizer.is_resumed:
                raised = describe(optimizer.raised, optimizer.file)
                harm = f"keeps the state of a checkpoint on the device it was loaded to: {raised}"
                fix = "Load it with the optimizer's own `load_state_dict`, which brings it along."
            elif optimizer.raised:
                raised = describe(optimizer.raised, optimizer.file)
                harm = f"keeps a state that did not move with the module: {raised}"
            else:
                continue
            yield self.finding(optimizer, f"`{optimizer.path}` {harm}.", fix)
