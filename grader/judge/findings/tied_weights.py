"""`tied-weights`: Parameters that share memory, until a move gives each its own."""

from __future__ import annotations

from collections.abc import Iterator

from grader.evidence import TensorFact
from grader.judge.findings.base import Code, Facts, Finding, Rule, Shown


class TiedWeights(Rule):
    """`Module.to` copies each Parameter object once, and knows nothing of shared memory."""

    code = Code.TIED_WEIGHTS
    summary = "Two weights are shared only until the first move."
    shows = "silent"
    searched = Shown.PARTED
    checks = ("checkpoint", "training", "parameters")

    def search(self, facts: Facts) -> Iterator[Finding]:
        """In an audit: pairs that share memory before a move, and do not after it."""
        evidence = facts.evidence
        if not facts.is_audit:
            return
        before = {fact.path: fact for fact in evidence.tensors if fact.is_parameter}
        after = {fact.path: fact for move in evidence.movements for fact in move.tensors}
        for first, second in _sharing(sorted(before.values(), key=lambda fact: fact.line)):
            moved = after.get(first.path), after.get(second.path)
            if moved[0] and moved[1] and moved[0].storage != moved[1].storage:
                yield self.finding(
                    second,
                    f"`{first.path}` and `{second.path}` share memory, but are two Parameters: a "
                    "move copies each on its own, and from then on they go separate ways.",
                    "Tie them by assigning the Parameter itself, or use one in both places.",
                )


def _sharing(facts: list[TensorFact]) -> Iterator[tuple[TensorFact, TensorFact]]:
    # By storage: two Parameter objects over one memory, which `Module.to` copies separately. One
    # object under two names is copied once, and stays tied.
    first_with: dict[int, TensorFact] = {}
    for fact in facts:
        first = first_with.setdefault(fact.storage, fact)
        if fact.storage and fact.identity != first.identity:
            yield first, fact
