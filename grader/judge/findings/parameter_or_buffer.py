"""`parameter-or-buffer`: a constant is a Parameter, or a trained value is a buffer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

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
            if first and context.rubric and context.rubric.names_matter:
                yield self._second_name(fact, first)
            elif expected.role == "parameter":
                if fact.role == "buffer" or not fact.requires_grad:
                    yield self._should_be_parameter(fact, expected)
            elif fact.requires_grad or (fact.role, expected.role) == ("parameter", "buffer"):
                yield self._should_be_buffer(fact, expected)
        yield from self._where_names_are_free(context)

    def _where_names_are_free(self, context: RuleContext) -> Iterator[Fault]:
        """A tensor under a name of the learner's, with the shape of one that is missing.

        It tells something only where all that are missing in that shape have the same role.
        """
        if context.rubric is None or context.rubric.names_matter:
            return
        registered = {fact.name: fact for fact in context.evidence.tensors if fact.name}
        missing = [tensor for tensor in context.rubric.tensors if tensor.name not in registered]
        named = {tensor.name for tensor in context.rubric.tensors}
        for fact in (fact for name, fact in registered.items() if name not in named):
            alike = [tensor for tensor in missing if tensor.shape == fact.shape]
            are_trained = {tensor.role == "parameter" for tensor in alike}
            if are_trained == {True} and fact.role == "buffer":
                yield self._should_be_parameter(fact, alike[0])
            elif are_trained == {False} and fact.requires_grad:
                yield self._should_be_buffer(fact, alike[0])

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
            freezes = "=False" if "requires_grad" in fact.value else "_(False)"
            fix = f"Drop `requires_grad{freezes}`: a Parameter is there to be trained."
        why = expected.why or "the exercise asks to train it"
        message = f"`{fact.path}` is {is_a}, so no optimizer will ever change it; but {why}."
        return self.finding(fact, message, fix)

    def _should_be_buffer(self, fact: TensorFact, expected: Expected) -> Fault:
        is_a, fix = "a Parameter, which is for what is trained", "Make it a buffer in `__init__`."
        if fact.role == "buffer":
            is_a = "a buffer that requires a gradient, as what is trained does"
            fix = "Give it a tensor that requires no gradient."
        elif fact.requires_grad:
            is_a = "a Parameter, so an optimizer will change it"
        why = expected.why or "the exercise asks to leave it as it is"
        message = f"`{fact.path}` is {is_a}; but {why}."
        return replace(self.finding(fact, message, fix), variant="not trained")

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
