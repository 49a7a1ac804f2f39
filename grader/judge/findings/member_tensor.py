"""`member-tensor`: a plain tensor attribute, which a move of the module leaves behind."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from grader.judge.findings.base import Cause, Code, Fault, How, Rule, RuleContext, Shown
from grader.judge.wording import is_cell, join_names, op_name


class MemberTensor(Rule):
    """Assigning a tensor to `self` registers nothing."""

    code = Code.MEMBER_TENSOR
    summary = "A plain tensor attribute stays behind when the module moves."
    shows = "loud; silent where it is only returned or copied"
    searched = Shown.PARTED
    checks = ("placement", "buffers", "parameters", "state_dict", "forward")

    def explain(self, cause: Cause) -> Fault:
        """An attribute of the module, a second name for a buffer, or a tensor of the file."""
        if cause.how is How.IMPORTED:
            return self._import_fault(cause)
        if cause.how is How.ALIAS:
            return self._alias(cause)
        unsaved = ", and `state_dict()` does not save it" if cause.saved else ""
        alike = tuple(fact.path for fact in cause.group[1:])
        more = f" So {'are' if alike[1:] else 'is'} {join_names([*alike])}." if alike else ""
        found = self.finding(
            cause,
            f"`{cause.path}` is a plain tensor, so the module does not know it: `.cuda()` leaves "
            f"it on the CPU{_symptom(cause)}{unsaved}.{more}",
            "Register it in `__init__`: as a Parameter if it is trained, else as a buffer, with "
            "`persistent=False` if `__init__` can always compute it again.",
        )
        return replace(found, alike=alike)

    def search(self, context: RuleContext) -> Iterator[Fault]:
        """In an audit: a second name for a buffer that nothing raises for."""
        tensors = {fact.path: fact for fact in context.evidence.tensors}
        for name, buffer in context.evidence.parted:
            yield self.finding(
                tensors[name],
                f"`{name}` shares the memory of the buffer `{buffer}`. A move gives the buffer new "
                f"memory, and `{name}` keeps the old: from then on, a change of one is not seen in "
                "the other. Nothing raises.",
                f"Use the registered name, `{buffer}`, or make the second one a property that "
                "returns it.",
            )

    def _import_fault(self, cause: Cause) -> Fault:
        when = "its cell is run" if is_cell(cause.file) else "the file is imported"
        return self.finding(
            cause,
            f"`{cause.path}` is made once, when {when}, and no `.cuda()` moves it; "
            f"{cause.used} mixes it with a CUDA tensor (`{op_name(cause.operation)}`).",
            "Make it a buffer of the module, with `persistent=False`, and use that.",
        )

    def _alias(self, cause: Cause) -> Fault:
        """Of a second name for a buffer, or a view: a move gives those no new memory."""
        it, of = ("view", "of") if cause.holder else ("second name", "for")
        again = "takes it from there" if cause.holder else "returns that"
        return self.finding(
            cause,
            f"`{cause.path}` is a {it} {of} `{cause.original}`. A move gives that new memory, and "
            f"the {it} keeps the old, on the old device.",
            f"Use the registered name, `{cause.original}`, or make the {it} a property that "
            f"{again} in each call.",
        )


def _symptom(cause: Cause) -> str:
    if cause.shown is Shown.GRADIENT:
        return ", it gets a gradient that no optimizer sees"
    if cause.result:
        return f", and {cause.result} is there too"
    if cause.used_line:
        mixes = f"mixes it with a CUDA tensor (`{op_name(cause.operation)}`)"
        return f", and {cause.used} {mixes}"
    return ""
