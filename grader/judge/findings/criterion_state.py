"""`criterion-state`: the tensors of a loss function, which nobody moves or trains."""

from __future__ import annotations

from collections.abc import Iterator

from grader.judge.attribution.held import holder_of
from grader.judge.findings.base import Cause, Code, Fault, Rule, RuleContext, Shown
from grader.judge.findings.python_container import container_fix
from grader.schema import Location, Optimizer


class CriterionState(Rule):
    """A loss with weights of its own must be moved and trained like a model."""

    code = Code.CRITERION_STATE
    summary = "The loss has tensors that nobody moves or trains."
    shows = "loud; silent for Parameters of a loss"
    searched = Shown.PARTED

    def explain(self, cause: Cause) -> Fault:
        """A call met one that was not moved."""
        fix = "Make the criterion a submodule with its tensors as buffers, or move it like the "
        fix += "model."
        for fact in cause.group:
            fix = container_fix(holder_of(fact).kind, cause, fact)
        where = cause.used.removeprefix("line")
        return self.finding(
            cause,
            f"`{cause.name}` belongs to the loss function and is still on {cause.device}: a loss "
            f"with weights of its own must be moved like a model. Line{where} mixes it with a "
            f"tensor on {cause.expected}.",
            fix,
        )

    def search(self, context: RuleContext) -> Iterator[Fault]:
        """In an audit: an optimizer that was not given the loss's Parameters."""
        for optimizer in context.evidence.optimizers if context.is_audit else ():
            if name := _forgotten_loss(optimizer):
                yield self.finding(
                    Location(f"self.{name}", optimizer.line, file=optimizer.file),
                    f"`self.{name}` belongs to the loss function and has to be trained, but "
                    f"`{optimizer.path}` was not given it.",
                    "Give the optimizer the criterion's parameters too, after the model's.",
                )


def _forgotten_loss(optimizer: Optimizer) -> str:
    """The Parameter of a loss, by its name, that an otherwise sound optimizer lacks."""
    if optimizer.strangers or optimizer.raised:
        return ""
    return next((n for n in optimizer.forgotten if "loss" in n or "criterion" in n), "")
