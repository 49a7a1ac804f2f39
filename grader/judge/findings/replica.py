"""`replica`: the code fails, or loses something, in a replica of `nn.DataParallel`."""

from __future__ import annotations

from collections.abc import Iterator

from grader.judge.codes import Code
from grader.judge.findings.base import Facts, Rule, Sighting
from grader.judge.lookups import leg, repeats
from grader.judge.outputs import much_alike
from grader.judge.wording import told


class Replica(Rule):
    """A replica is a throw-away copy, whose `parameters()` is empty."""

    code = Code.REPLICA
    summary = "The code breaks in a replica of `DataParallel` (warning)."
    shows = "loud; silent for state on `self`"
    severity = "warning"

    def search(self, facts: Facts) -> Iterator[Sighting]:
        """In an audit: it raises in a replica, gives other numbers, or changes an attribute."""
        evidence = facts.evidence
        home, run = leg(evidence, "cpu"), leg(evidence, "replica")
        if facts.rubric or home is None or home.raised or run is None:
            return
        if run.raised:
            yield self._harm(run.raised.code, run.raised.line, f"it raises {told(run.raised)}")
        elif not (evidence.random or much_alike(run.outputs, home.outputs)) and repeats(evidence):
            line = next((output.line for output in run.outputs if output.line), 0)
            yield self._harm("forward", line, "it gives other numbers")
        for place in evidence.counters:
            change = f"the change of `{place.path}` is lost with it"
            yield self._harm(place.path, place.line, change)

    def _harm(self, where: str, line: int, harm: str) -> Sighting:
        finding = self.finding(
            where,
            line,
            f"In a replica of `nn.DataParallel`, {harm}: a replica is a throw-away copy, whose "
            "`parameters()` is empty.",
            "Read the device and dtype from the input, count in a buffer or outside of `forward`; "
            "or use DistributedDataParallel.",
        )
        return Sighting(finding)


RULE = Replica()
