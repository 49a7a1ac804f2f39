"""Fixes of what a replica of `nn.DataParallel` has not, or loses."""

from __future__ import annotations

import re

from grader.judge.fixes.expressions import bindings, calls_in, constructor_of
from grader.judge.fixes.fix import CodeFix, Context, assignment_to
from grader.judge.fixes.roles import number_as_buffer
from grader.schema import Finding

_PATH = re.compile(r"self\.(\w+)(\.\w+|\[\d+\])*")


def name_parameter(finding: Finding, context: Context) -> CodeFix | None:
    """Of `next(self.parameters())`, which gives none there: the first Parameter, by its name."""
    site = context.code.site(finding.line)
    first = next((f.path for f in context.evidence.tensors if f.role == "parameter"), "")
    match, owner = _PATH.fullmatch(first), site.owner if site else None
    if site is None or owner is None or match is None:
        return None
    bound = {name for cls in context.code.chain(owner.name) for name in bindings(cls)}
    changes = [
        (context.code.span(call), first)
        for call in calls_in(site.head, "next")
        if [context.code.segment(argument) for argument in call.args] == ["self.parameters()"]
    ]
    if not changes or match[1] not in bound:
        return None
    edit = context.code.edit_spans(site, changes)
    return CodeFix("Ask a Parameter by its name, which a replica has", (edit,))


def count_in_buffer(finding: Finding, context: Context) -> CodeFix | None:
    """Of a number that each call changes: a buffer, which the first replica shares."""
    site = context.code.site(finding.line)
    init = constructor_of(site.owner) if site and site.owner else None
    for other in context.code.sites(init) if init else ():
        found = assignment_to(context, finding.where, other.statement.lineno)
        if found and (edits := number_as_buffer(finding, context, *found)):
            return CodeFix("Keep it in a buffer, a tensor of one number", edits)
    return None
