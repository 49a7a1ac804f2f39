"""`replica`: the code fails, or loses something, in a replica of `nn.DataParallel`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from grader.judge.attribution import misplaced_operand
from grader.judge.findings.base import Code, Fault, Rule, RuleContext
from grader.judge.lookups import repeats
from grader.judge.wording import describe
from grader.schema import Location, Operand, Output, Phase, Raised, Run, nearly_equal

BY_NAME = (
    "Find methods and layers by name in `forward`, through its own `self` (`getattr`, "
    "`nn.ModuleList`); or use DistributedDataParallel."
)
OWN_BUFFER = "Register it as a buffer, of which each replica gets a copy on its own GPU."


class Replica(Rule):
    """A replica is a throw-away copy, whose `parameters()` is empty."""

    code = Code.REPLICA
    summary = "The code breaks in a replica of `DataParallel` (warning)."
    shows = "loud; silent for state on `self`"
    severity = "warning"

    def search(self, context: RuleContext) -> Iterator[Fault]:
        """In an audit: it raises in a replica, gives other numbers, or changes an attribute.

        Nothing without a call on the CPU that works, to compare with, and nothing of a module
        without trainable Parameters: nobody replicates a metric or a filter. Of 1 to 3 the first
        that holds, and each of 4:

        1. It raised where it met a tensor that is still the module's own, on another GPU. A plain
           tensor should be a buffer; anything else was reached through a shared attribute.
        2. It raised something else: code that needs `parameters()`, say, which is empty there.
        3. It gives other numbers, though two calls on the CPU give the same.
        4. Its call changes an attribute: the change is lost with the replica.
        """
        evidence = context.evidence
        baseline, run = evidence.run_of(Phase.CPU), evidence.run_of(Phase.REPLICA)
        if not context.is_audit or baseline is None or baseline.raised or run is None:
            return
        trained = [f for f in evidence.tensors if f.role == "parameter" and f.requires_grad]
        if evidence.structure and not trained:
            return
        if (operand := _of_the_module(run)) and run.raised:
            plain = {fact.path for fact in evidence.tensors if fact.role == "plain"}
            fix = OWN_BUFFER if operand.name in plain else BY_NAME
            yield self._on_another_device(run.raised, operand, fix)
        elif run.raised:
            raised = run.raised
            location = Location(raised.code, raised.line, file=raised.file)
            yield self._harm(location, f"it raises {describe(raised)}")
        elif not (evidence.random or nearly_equal(run.outputs, baseline.outputs)) and repeats(
            evidence
        ):
            at = next((output for output in run.outputs if output.line), Output("", ""))
            location = Location("forward", at.line, file=at.file)
            yield self._harm(location, "it gives other numbers")
        for counter in evidence.counters:
            yield self._harm(counter, f"the change of `{counter.path}` is lost with it")

    def _on_another_device(self, raised: Raised, operand: Operand, fix: str) -> Fault:
        """Through an attribute that all replicas share, it reached a tensor of the module."""
        leads_to = f"`{operand.name}`" if operand.name else "a tensor"
        where = _attribute(operand.name) or raised.code
        return self.finding(
            Location(where, raised.line, file=raised.file),
            f"In a replica of `nn.DataParallel` on another GPU, {leads_to} is still that of the "
            f"module, on its own GPU: {describe(raised)}. Replicas copy what is registered; a "
            "plain tensor, list, bound method, lambda or patched `forward` is that of the module.",
            fix,
        )

    def _harm(self, location: Location, harm: str) -> Fault:
        return self.finding(
            location,
            f"In a replica of `nn.DataParallel`, {harm}: a replica is a throw-away copy, whose "
            "`parameters()` is empty.",
            "Read the device and dtype from the input, count in a buffer or outside of `forward`; "
            "or use DistributedDataParallel.",
        )


def _of_the_module(run: Run) -> Operand | None:
    """The operand that is where the module is, if a replica that is elsewhere met one.

    What the call made there itself, or was given, is not the module's.
    """
    operand = misplaced_operand(run.raised.origin, run.device) if run.raised else None
    return operand if operand and operand.source not in ("made", "input") else None


def _attribute(path: str) -> str:
    """The attribute of `self` that leads to it: of a layer in a list, the list."""
    name, *_ = re.split(r"[.\[]", path.removeprefix("self."))
    return f"self.{name}" if name else ""
