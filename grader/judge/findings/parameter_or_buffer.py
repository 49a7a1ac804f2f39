"""`parameter-or-buffer`: a constant is a Parameter, or a trained value is a buffer."""

from __future__ import annotations

from collections.abc import Iterator

from grader.judge.findings.base import Code, Fault, Rule, RuleContext
from grader.judge.lookups import registered_as
from grader.schema import Evidence, Expected, TensorFact


class ParameterOrBuffer(Rule):
    """An optimizer changes the Parameters it is given, and never a buffer."""

    code = Code.PARAMETER_OR_BUFFER
    summary = "A constant is a Parameter, or a trained value is a buffer."
    shows = "silent; loud for integers"
    checks = ("parameters", "buffers", "training")

    def search(self, context: RuleContext) -> Iterator[Fault]:
        """Against what the exercise asks; in an audit, by what a tensor looks like."""
        if context.is_audit:
            return self._by_looks(context.evidence)
        return self._against_rubric(context)

    def _against_rubric(self, context: RuleContext) -> Iterator[Fault]:
        for fact, expected, first in registered_as(context.evidence, context.rubric):
            if first:
                yield self._second_name(fact, first)
            elif expected.role == "parameter":
                if fact.role == "buffer" or not fact.requires_grad:
                    yield self._should_be_parameter(fact, expected)
            elif fact.role == "parameter" and (expected.role == "buffer" or fact.requires_grad):
                yield self._should_be_buffer(fact, expected)

    def _second_name(self, fact: TensorFact, first: TensorFact) -> Fault:
        """Two names for one tensor, where the exercise has two tensors."""
        return self.finding(
            fact,
            f"`{fact.path}` is a second name for `{first.path}`: one tensor cannot be two, and "
            "whatever changes one changes the other.",
            "Give each of them a tensor of its own.",
        )

    def _should_be_parameter(self, fact: TensorFact, expected: Expected) -> Fault:
        is_a, fix = "a buffer", "Make it a Parameter in `__init__`."
        if fact.role == "parameter":
            is_a = "a Parameter with requires_grad=False"
            fix = "Drop `requires_grad=False`: a Parameter is there to be trained."
        why = expected.why or "the exercise wants it trained"
        message = f"`{fact.path}` is {is_a}, so no optimizer will ever change it; but {why}."
        return self.finding(fact, message, fix)

    def _should_be_buffer(self, fact: TensorFact, expected: Expected) -> Fault:
        harm = "which is for what is trained"
        if fact.requires_grad:
            harm = "so an optimizer will change it"
        why = expected.why or "the exercise wants it left as it is"
        message = f"`{fact.path}` is a Parameter, {harm}; but {why}."
        return self.finding(fact, message, "Make it a buffer in `__init__`.")

    def _by_looks(self, evidence: Evidence) -> Iterator[Fault]:
        for fact in evidence.tensors:
            if fact.role == "buffer" and fact.requires_grad and fact.is_leaf:
                yield self.finding(
                    fact,
                    f"`{fact.path}` requires a gradient, but is a buffer: `parameters()` does not "
                    "list it, so no optimizer will train it.",
                    "Make it a Parameter in `__init__`.",
                )
            elif fact.role == "parameter" and _looks_constant(fact):
                yield self.finding(
                    fact,
                    f"`{fact.path}` looks like a constant, but is a Parameter: {_harm(fact)}.",
                    "If nothing should train it, make it a buffer in `__init__`.",
                    "warning",
                )


def _harm(fact: TensorFact) -> str:
    if fact.requires_grad:
        return "training changes it, though it starts as a table of sines and cosines"
    return "one `requires_grad_(True)` on the module, and training changes it"


def _looks_constant(fact: TensorFact) -> bool:
    is_frozen = not fact.requires_grad and "requires_grad=False" in fact.value
    return is_frozen or (fact.fixed and bool(fact.value))
