"""`tied-weights`: tensors that share memory, until a move gives each its own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from grader.judge.findings.base import Code, Fault, Rule, RuleContext, Shown
from grader.schema import Evidence, Phase, TensorFact


class TiedWeights(Rule):
    """`Module.to` copies each Parameter object once, and knows nothing of shared memory."""

    code = Code.TIED_WEIGHTS
    summary = "Two weights are shared only until the first move."
    shows = "silent"
    searched = Shown.PARTED
    checks = ("checkpoint", "training", "parameters")

    def search(self, context: RuleContext) -> Iterator[Fault]:
        """In an audit: pairs that share memory before a move, and do not after it.

        Where a buffer is one of them, only if training changes what they share: two names for a
        constant table do no harm.
        """
        evidence = context.evidence
        if not context.is_audit:
            return
        yield from self._untied_faults(evidence)
        after = {fact.path: fact for move in evidence.movements for fact in move.tensors}
        registered = [fact for fact in evidence.tensors if fact.is_parameter or fact.name]
        for first, second in _sharing(sorted(registered, key=lambda fact: fact.line)):
            moved = after.get(first.path), after.get(second.path)
            is_parted = moved[0] and moved[1] and moved[0].storage != moved[1].storage
            if is_parted and _matters(first, second, evidence):
                found = self.finding(
                    second,
                    f"`{first.path}` and `{second.path}` share memory, but are "
                    f"{_two(first, second)}: a move copies each on its own, and from then on they "
                    "go separate ways.",
                    _fix(second),
                )
                yield replace(found, shared_with=first.path)

    def _untied_faults(self, evidence: Evidence) -> Iterator[Fault]:
        """In a module that is meant for the meta device: what `to_empty` makes two of."""
        facts = {fact.path: fact for fact in evidence.tensors}
        for first, second in evidence.materialised.untied if evidence.materialised else ():
            if second in facts:
                found = self.finding(
                    facts[second],
                    f"`{first}` and `{second}` are one Parameter. Loaders build large models on "
                    "the meta device; there `to_empty` gives each place a Parameter of its own, "
                    "and from then on training changes one without the other.",
                    "Tie them again in a method `tie_weights`, which `__init__` calls, and loaders "
                    "call again.",
                    "warning",
                )
                yield replace(found, shared_with=first)


def _matters(first: TensorFact, second: TensorFact, evidence: Evidence) -> bool:
    """Whether both are read or trained, or training changes what a buffer shares.

    One tensor under two names is listed once, by the first. What no call reads can be anything, and
    no output shows it; of a module that was never called nobody knows what is read.
    """
    if first.is_parameter and second.is_parameter:
        run = evidence.run_of(Phase.CPU)
        is_called = run is not None and not run.raised
        return not is_called or (first.used and second.used)
    trained = evidence.cpu_training.tensors if evidence.cpu_training else ()
    changed = {tensor.name: tensor.changed for tensor in trained}
    both = [changed[fact.name] for fact in (first, second) if fact.name in changed]
    return bool(both) and all(both)


def _fix(second: TensorFact) -> str:
    if second.is_parameter:
        return "Tie them by assigning the Parameter itself, or use one in both places."
    return "Register it once and use that name in both places, or give each a copy."


def _two(first: TensorFact, second: TensorFact) -> str:
    if first.is_parameter and second.is_parameter:
        return "two Parameters"
    if first.is_parameter or second.is_parameter:
        return "a Parameter and a buffer"
    return "two buffers"


def _sharing(facts: list[TensorFact]) -> Iterator[tuple[TensorFact, TensorFact]]:
    # By storage: two Parameter objects over one memory, which `Module.to` copies separately. One
    # Parameter under two names is copied once, and stays tied; one buffer is copied twice.
    first_with: dict[int, TensorFact] = {}
    for fact in facts:
        first = first_with.setdefault(fact.storage, fact)
        is_one = fact.identity == first.identity and fact.is_parameter
        if fact is not first and fact.storage and not is_one:
            yield first, fact
