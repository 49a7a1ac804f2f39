"""Fixes of an assignment that would put something else in the place of a Parameter."""

from __future__ import annotations

import ast

from grader.judge.fixes.expressions import called_name, local_names, moves_only
from grader.judge.fixes.fix import CodeFix, Context, assignment_to
from grader.judge.fixes.registration import ATTRIBUTE, is_wrapper
from grader.judge.fixes.remembered import loads
from grader.judge.fixes.source_file import CodeSite
from grader.schema import Finding


def keep_parameter(finding: Finding, context: Context) -> CodeFix | None:
    """New values for the same Parameter, where nothing trains it; else a local name for them."""
    site = context.code.site(finding.line)
    path = _assigned(site.statement) if site else ""
    found, fact = assignment_to(context, path, finding.line), context.fact(path)
    if found is None or fact is None or not ATTRIBUTE.match(path):
        return None
    site, value = found
    if site.function is None or site.function.name == "__init__":
        return None
    if isinstance(value, ast.Call) and is_wrapper(value):
        return None  # what is in it may be meant to be trained through
    if moves_only(value) and loads(value, path):
        may_go = site.statement in site.function.body and len(site.function.body) > 1
        words = "Leave it out: `.to()` of the module moves a Parameter"
        return CodeFix(words, (context.code.left_out(site.statement),)) if may_go else None
    text = context.code.segment(value)
    if _is_without_gradients(site, context) or not fact.requires_grad:
        copied = [f"{path}.copy_({text})"]
        if not _is_without_gradients(site, context):
            copied = [f"with {context.code.name_of('torch')}.no_grad():", f"    {copied[0]}"]
        edit = context.code.edit_statement(site, *copied)
        return CodeFix("Change its values instead", (edit,))
    return _local(path, text, site, context)


def _assigned(statement: ast.stmt) -> str:
    """What it assigns: the finding may be of the call that raised."""
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    return ast.unparse(targets[0]) if len(targets) == 1 else ""


def _is_without_gradients(site: CodeSite, context: Context) -> bool:
    """Whether it stands in a function or a block under `torch.no_grad()`."""
    around: list[ast.expr] = list(site.function.decorator_list) if site.function else []
    for other in context.code.sites(site.function):
        if isinstance(other.statement, ast.With) and site.statement in other.statement.body:
            around += [item.context_expr for item in other.statement.items]
    return any(called_name(node) in ("no_grad", "inference_mode") for node in around)


def _local(path: str, text: str, site: CodeSite, context: Context) -> CodeFix | None:
    """The values under a local name, where only what follows in the function reads them."""
    function, owner, name = site.function, site.owner, path.removeprefix("self.")
    if function is None or owner is None or site.statement not in function.body:
        return None
    following = function.body[function.body.index(site.statement) + 1 :]
    read = [use for statement in following for use in loads(statement, path)]
    elsewhere = [
        use for method in owner.body if method is not function for use in loads(method, path)
    ]
    init = [m for m in owner.body if getattr(m, "name", "") == "__init__"]
    elsewhere = [use for use in elsewhere if not any(use in ast.walk(m) for m in init)]
    if not read or elsewhere or name in local_names(function):
        return None
    edits = [context.code.edit_statement(site, f"{name} = {text}")]
    for other in (
        o for o in context.code.sites(function) if o.statement.lineno > site.statement.lineno
    ):
        if uses := loads(other.head, path):
            spans = [(context.code.span(use), name) for use in uses]
            edits.append(context.code.edit_spans(other, spans))
    words = "Give the result another name, and leave the Parameter as it is"
    return CodeFix(words, tuple(edits))
