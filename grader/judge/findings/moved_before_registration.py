"""`moved-before-registration`: the result of a move is kept in the Parameter's stead."""

from __future__ import annotations

import re
from collections.abc import Iterator

from grader.judge.findings.base import Cause, Code, Fault, Rule, RuleContext
from grader.judge.lookups import built_on_cuda, is_result
from grader.schema import Evidence

# A Parameter that is moved to what a name says, which is no dtype.
_DEVICE = r"(device=)?(?!torch\.|[\w.]*dtype)[a-z_.]+"
_MOVED = re.compile(rf"(\w+\.)*Parameter\(.*\)\.(to\({_DEVICE}\)|cuda\([a-z_.]*\))", re.S)


class MovedBeforeRegistration(Rule):
    """`nn.Parameter(t).to(device)` is a tensor with a grad_fn: neither registered nor trained."""

    code = Code.MOVED_BEFORE_REGISTRATION
    summary = "`nn.Parameter(t).to(device)` is not a Parameter."
    shows = "silent"
    checks = ("parameters", "training", "placement")
    message = (
        "`{path}` is what an operation on a Parameter gave, and `.cuda()` and `.to(device)` are "
        "operations too: a new tensor with a grad_fn, not a Parameter. It is not registered and "
        "will not be trained."
    )
    fix = "Move first, wrap last: make an `nn.Parameter` of the finished tensor."

    def search(self, context: RuleContext) -> Iterator[Fault]:
        """In an audit: on the CPU a move returns the Parameter itself, so CUDA was asked for.

        And what was put past PyTorch's checks into the table of Parameters.
        """
        for fact in context.evidence.tensors if context.is_audit else ():
            if fact.role == "parameter" and is_result(fact):
                yield self.finding(
                    fact,
                    f"`{fact.path}` is registered as a Parameter, and is the result of an "
                    "operation on one: no leaf, so no optimizer takes it, and no copy of the "
                    "module can be made.",
                    self.fix,
                )
        if context.is_audit:
            yield from self._while_on_the_cpu(context.evidence)
        for fact in built_on_cuda(context.evidence).tensors if context.is_audit else ():
            if fact.role == "plain" and is_result(fact):
                yield self.explain(Cause(self.code, fact.path, fact.line, file=fact.file))

    def _while_on_the_cpu(self, evidence: Evidence) -> Iterator[Fault]:
        """A move that had nothing to do: to the device where the Parameter was made."""
        lines = set[tuple[str, int]]()
        for fact in evidence.tensors:
            is_moved = (
                fact.role == "parameter" and not is_result(fact) and _MOVED.fullmatch(fact.value)
            )
            if is_moved and (fact.file, fact.line) not in lines:
                lines.add((fact.file, fact.line))
                yield self.finding(
                    fact,
                    f"`{fact.path}` is a Parameter only where its move has nothing to do. Built "
                    "for another device, it is the result of an operation: neither registered nor "
                    "trained.",
                    self.fix,
                    "warning",
                )
