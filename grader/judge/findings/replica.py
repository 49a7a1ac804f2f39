"""`replica`: the code fails, or loses something, in a replica of `nn.DataParallel`."""

from __future__ import annotations

from collections.abc import Iterator

from grader.evidence import Location, Output, Phase
from grader.judge.findings.base import Code, Facts, Finding, Rule
from grader.judge.lookups import repeats, run_of
from grader.judge.outputs import nearly_equal
from grader.judge.wording import describe


class Replica(Rule):
    """A replica is a throw-away copy, whose `parameters()` is empty."""

    code = Code.REPLICA
    summary = "The code breaks in a replica of `DataParallel` (warning)."
    shows = "loud; silent for state on `self`"
    severity = "warning"

    def search(self, facts: Facts) -> Iterator[Finding]:
        """In an audit: it raises in a replica, gives other numbers, or changes an attribute.

        Only of a module with something to train: nobody replicates a metric or a filter.
        """
        evidence = facts.evidence
        baseline, run = run_of(evidence, Phase.CPU), run_of(evidence, Phase.REPLICA)
        if not facts.is_audit or baseline is None or baseline.raised or run is None:
            return
        trained = [f for f in evidence.tensors if f.role == "parameter" and f.requires_grad]
        if evidence.structure and not trained:
            return
        if run.raised:
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

    def _harm(self, location: Location, harm: str) -> Finding:
        return self.finding(
            location,
            f"In a replica of `nn.DataParallel`, {harm}: a replica is a throw-away copy, whose "
            "`parameters()` is empty.",
            "Read the device and dtype from the input, count in a buffer or outside of `forward`; "
            "or use DistributedDataParallel.",
        )
