"""`moved-before-registration`: the result of a move is kept in the Parameter's stead."""

from __future__ import annotations

from collections.abc import Iterator

from grader.evidence import Structure
from grader.judge.attribution import Cause
from grader.judge.codes import Code
from grader.judge.findings.base import Facts, Rule, Sighting
from grader.judge.lookups import is_result
from grader.judge.report import Finding


class MovedBeforeRegistration(Rule):
    """`nn.Parameter(t).to(device)` is a tensor with a grad_fn: neither registered nor trained."""

    code = Code.MOVED_BEFORE_REGISTRATION
    summary = "`nn.Parameter(t).to(device)` is not a Parameter."
    shows = "silent"
    checks = ("parameters", "training", "placement")

    def explain(self, cause: Cause) -> Finding:
        """An unregistered tensor that came out of an operation on a Parameter."""
        return self._result(cause.where, cause.line)

    def search(self, facts: Facts) -> Iterator[Sighting]:
        """On the CPU a move returns the Parameter itself: seen where CUDA was asked for."""
        if facts.rubric is None:
            for fact in (facts.evidence.on_device or Structure()).tensors:
                if fact.role == "plain" and is_result(fact):
                    yield Sighting(self._result(fact.path, fact.line))

    def _result(self, path: str, line: int) -> Finding:
        return self.finding(
            path,
            line,
            f"`{path}` is the result of an operation on a Parameter, such as `.cuda()` or "
            "`.to(device)`: a new tensor with a grad_fn, not a Parameter. It is not registered and "
            "will not be trained.",
            "Move first, wrap last: make an `nn.Parameter` of the finished tensor.",
        )


RULE = MovedBeforeRegistration()
