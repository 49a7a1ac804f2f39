"""Fixes of what a replica of `nn.DataParallel` has not, or loses."""

from __future__ import annotations

import ast
import re

from grader.judge.fixes.expressions import bindings, calls_in, constructor_of
from grader.judge.fixes.fix import CodeFix, Context, assignment_to
from grader.judge.fixes.roles import number_as_buffer
from grader.schema import Finding

_PATH = re.compile(r"self\.(\w+)(\.\w+|\[\d+\])*")
_ASKED = re.compile(r"next\((self(?:\.\w+)*)\.parameters\(\)\)")


def name_parameter(finding: Finding, context: Context) -> CodeFix | None:
    """Of `next(self.parameters())`, which gives none there: the first Parameter, by its name."""
    site = context.code.site(finding.line)
    owner = site.owner if site else None
    if site is None or owner is None:
        return None
    bound = {name for cls in context.code.chain(owner.name) for name in bindings(cls)}
    changes = []
    for call in calls_in(site.head, "next"):
        asked = _ASKED.fullmatch(ast.unparse(call))
        first = _first_below(asked[1], context) if asked else ""
        match = _PATH.fullmatch(first)
        if match and match[1] in bound:
            changes.append((context.code.span(call), first))
    edit = context.code.edit_spans(site, changes) if changes else None
    return CodeFix("Ask a Parameter by its name, which a replica has", (edit,)) if edit else None


def _first_below(path: str, context: Context) -> str:
    """The path of the first Parameter of a module; `""` if it has none."""
    parameters = (f.path for f in context.evidence.tensors if f.role == "parameter")
    return next((p for p in parameters if p.startswith((f"{path}.", f"{path}["))), "")


def count_in_buffer(finding: Finding, context: Context) -> CodeFix | None:
    """Of a number that each call changes: a buffer, which the first replica shares."""
    site = context.code.site(finding.line)
    init = constructor_of(site.owner) if site and site.owner else None
    for other in context.code.sites(init) if init else ():
        found = assignment_to(context, finding.where, other.statement.lineno)
        if found and (edits := number_as_buffer(finding, context, *found)):
            return CodeFix("Keep it in a buffer, a tensor of one number", edits)
    return None
