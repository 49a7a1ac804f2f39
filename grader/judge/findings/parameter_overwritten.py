"""`parameter-overwritten`: an assignment puts something else in the place of a Parameter."""

from __future__ import annotations

from collections.abc import Iterator

from grader.judge.findings.base import Code, Fault, Rule, RuleContext, Shown


class ParameterOverwritten(Rule):
    """PyTorch refuses a plain tensor, so the exception's text tells it: see `patterns.py`.

    Another Parameter it takes, in silence.
    """

    code = Code.PARAMETER_OVERWRITTEN
    summary = "A tensor or a new Parameter is assigned over a Parameter."
    shows = "loud, on the CPU too; silent for a new Parameter"
    searched = Shown.GRADIENT
    checks = ("parameters", "forward")

    def search(self, context: RuleContext) -> Iterator[Fault]:
        """In an audit: a trained Parameter that is another object after every call."""
        training = context.evidence.cpu_training if context.is_audit else None
        for replaced in training.replaced if training else ():
            yield self.finding(
                replaced,
                f"Every call puts a new Parameter in the place of `{replaced.path}`. An optimizer "
                "holds the one that was there when it was built, so what it updates is never used "
                "again, and this one is not trained.",
                "Change the values of the one Parameter, with `copy_` under `torch.no_grad`. What "
                "is to be trained through, such as a normalised weight, is computed in `forward` "
                "and not stored.",
            )
