"""Fixes of an optimizer that the module holds: when it is built, and what it is given."""

from __future__ import annotations

import ast
import re

from grader.judge.fixes.expressions import called_name, constructor_of
from grader.judge.fixes.fix import CodeFix, Context, assignment_to
from grader.judge.fixes.remembered import loads
from grader.judge.fixes.source_file import CodeSite
from grader.schema import Finding


def build_last(finding: Finding, context: Context) -> CodeFix | None:
    """Of one that `__init__` builds before it replaces a part: as its last statement."""
    found, optimizers = (
        assignment_to(context, finding.where, finding.line),
        context.evidence.optimizers,
    )
    if not found or not any(o.path == finding.where and o.strangers for o in optimizers):
        return None
    site = found[0]
    init = constructor_of(site.owner) if site.owner else None
    if init is None or site.statement not in init.body:
        return None
    following = init.body[init.body.index(site.statement) + 1 :]
    if not any(map(_changes_module, following)) or any(loads(s, finding.where) for s in following):
        return None
    built = context.code.segment(site.statement)
    edits = (context.code.left_out(site.statement), context.code.added_after(following[-1], built))
    return CodeFix("Build it last", edits)


def _changes_module(statement: ast.stmt) -> bool:
    """Whether it assigns an attribute of `self`, or calls a method of it."""
    text = ast.unparse(statement)
    return re.search(r"\bself\.[\w.]+(\[.*\])?( = |\()", text) is not None


def give_criterion(finding: Finding, context: Context) -> CodeFix | None:
    """Of `SGD(self.backbone.parameters())`: the loss's parameters, too."""
    site, criterion = context.code.site(finding.line), finding.where.rpartition(".")[0]
    if site is None or not re.fullmatch(r"self\.\w+", criterion):
        return None
    for call in (n for n in ast.walk(site.head) if isinstance(n, ast.Call)):
        given = call.args[0] if call.args else None
        if not given or called_name(given) != "parameters":
            continue
        if _is_there(criterion, site, context):
            both = f"[*{context.code.segment(given)}, *{criterion}.parameters()]"
            edit = context.code.edit_spans(site, [(context.code.span(given), both)])
            return CodeFix("Give it the criterion's parameters, too", (edit,))
    return None


def _is_there(path: str, site: CodeSite, context: Context) -> bool:
    """Whether the attribute is assigned before the statement, or in another function."""
    for other in context.code.sites(site.owner):
        if assignment_to(context, path, other.statement.lineno):
            return (
                other.function is not site.function
                or other.statement.lineno < site.statement.lineno
            )
    return False
