"""Fixes of a device, or a tensor, that a module remembers from an earlier call."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from grader.judge.fixes.devices import FACTORIES, give_device
from grader.judge.fixes.expressions import called_name, draws
from grader.judge.fixes.fix import CodeFix, Context, assignment_to
from grader.judge.fixes.source_file import CodeSite, is_block
from grader.schema import Edit, Finding


def ask_when_needed(finding: Finding, context: Context) -> CodeFix | None:
    """Of a remembered device, or a remembered tensor: the device is asked for in each call."""
    site = context.code.site(finding.line)
    if site is None or site.function is None:
        return None
    if not re.fullmatch(r"self\.\w+", finding.where):
        return None
    if context.rubric and context.rubric.random_outputs and draws(site.statement):
        return CodeFix("Draw it in each call, on the device of what it meets")
    devices = context.evidence.structure.devices if context.evidence.structure else ()
    if any(attribute.path == finding.where for attribute in devices):
        return _ask_in_each_call(finding.where, context, site)
    return _rebuild_when_moved(finding.where, context, site)


def _ask_in_each_call(path: str, context: Context, found: CodeSite) -> CodeFix | None:
    edits: list[Edit] = []
    for site in _methods_of(found, context):
        uses = _loads(site.statement, path)
        if not uses or is_block(site.statement) or _binds(site.statement, path):
            continue
        device = context.device_at(site)
        if not device:
            return None
        edits.append(
            context.code.edit_spans(site, [(context.code.span(use), device) for use in uses])
        )
    return CodeFix("Ask for the device where it is needed", tuple(edits)) if edits else None


def _methods_of(found: CodeSite, context: Context) -> Iterator[CodeSite]:
    """The statements in methods of the class around `found`, its bases and its subclasses."""
    if found.owner is None:
        return
    bases = [owner.name for owner in context.code.chain(found.owner.name)]
    for site in context.code.sites():
        if site.owner is None or site.function is None or site.function.name == "__init__":
            continue
        above = (owner.name for owner in context.code.chain(site.owner.name))
        if site.owner.name in bases or found.owner.name in above:
            yield site


def _binds(statement: ast.stmt, path: str) -> bool:
    """Whether the statement is what remembers the device, such as `self.d = self.d or x.device`."""
    targets = statement.targets if isinstance(statement, ast.Assign) else ()
    return any(ast.unparse(target) == path for target in targets)


def _loads(node: ast.AST, path: str) -> list[ast.Attribute]:
    return [
        child
        for child in ast.walk(node)
        if isinstance(child, ast.Attribute)
        and isinstance(child.ctx, ast.Load)
        and ast.unparse(child) == path
    ]


def _rebuild_when_moved(path: str, context: Context, site: CodeSite) -> CodeFix | None:
    """Of a tensor that is kept: made again when the input is on another device."""
    bound = [assignment_to(context, path, o.statement.lineno) for o in _methods_of(site, context)]
    if any(found and ast.unparse(found[1]) == "None" for found in bound):
        return None  # it is cleared
    for other in context.code.sites(site.function):
        test = other.statement.test if isinstance(other.statement, ast.If) else None
        if test is None or f"{path} is None" not in ast.unparse(test):
            continue
        device = context.device_at(other)
        if not device:
            return None
        text = context.code.segment(test)
        text = f"({text})" if _is_and(test) else text
        new = f"{text} or {path}.device != {device}"
        edits = [context.code.edit_spans(other, [(context.code.span(test), new)])]
        made = give_device(context, site, (_factory_in(site.statement),), device)
        if made is not None and made.before != made.after:
            edits.append(made)
        return CodeFix("Make it again when the input is on another device", tuple(edits))
    return None


def _is_and(test: ast.expr) -> bool:
    return isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And)


def _factory_in(statement: ast.stmt) -> str:
    names = (called_name(node) for node in ast.walk(statement) if isinstance(node, ast.Call))
    return next((name for name in names if name in FACTORIES), "")
