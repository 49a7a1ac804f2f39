"""Fixes of a move that is missing, or whose result is dropped."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from grader.judge.fixes.expressions import (
    called_name,
    calls_in,
    parameters,
    registered_device,
)
from grader.judge.fixes.fix import CodeFix, Context
from grader.judge.fixes.source_file import CodeSite
from grader.schema import Edit, Finding


def keep_result(finding: Finding, context: Context) -> CodeFix | None:
    """Of a move whose result is dropped: the result under the name that is used."""
    site = context.code.site(finding.line)
    statement = site.statement if site else None
    if site is None or not isinstance(statement, ast.Expr):
        return None
    move = statement.value
    if not isinstance(move, ast.Call) or called_name(move) not in ("to", "cuda", "cpu"):
        return None
    receiver = move.func.value  # type: ignore[attr-defined]
    if isinstance(receiver, ast.Attribute) and context.fact(ast.unparse(receiver)):
        return None  # a member tensor, which is to be registered
    loop = _loop_over(site, context, receiver)
    if loop is not None:
        return _loop_unrolled(context, loop, move)
    edits = tuple(_results_kept(context, site))
    return CodeFix("Keep the result, under the name that is used", edits) if edits else None


def _results_kept(context: Context, site: CodeSite) -> Iterator[Edit]:
    """An assignment for each move of a name in this function whose result is dropped."""
    for other in context.code.sites(site.function):
        move = other.statement.value if isinstance(other.statement, ast.Expr) else None
        if not isinstance(move, ast.Call) or not isinstance(move.func, ast.Attribute):
            continue
        receiver = move.func.value
        is_name = isinstance(receiver, ast.Name) and not _is_loop_variable(other, context, receiver)
        if move.func.attr in ("to", "cuda", "cpu") and is_name:
            device = context.device_at(other)
            text = context.code.segment(move)
            if device and move.func.attr != "to":
                text = f"{context.code.segment(receiver)}.to({device})"
            yield context.code.edit_statement(other, f"{context.code.segment(receiver)} = {text}")


def _loop_over(site: CodeSite, context: Context, receiver: ast.expr) -> CodeSite | None:
    """The loop whose whole body is this move of its variable, if it goes through names."""
    for candidate in context.code.sites(site.function):
        loop = candidate.statement
        if isinstance(loop, ast.For) and loop.body == [site.statement] and not loop.orelse:
            is_its = ast.unparse(loop.target) == ast.unparse(receiver)
            elements = loop.iter.elts if isinstance(loop.iter, ast.Tuple | ast.List) else []
            if is_its and elements and all(isinstance(element, ast.Name) for element in elements):
                return candidate
    return None


def _loop_unrolled(context: Context, loop: CodeSite, move: ast.Call) -> CodeFix:
    statement = loop.statement
    assert isinstance(statement, ast.For)
    names = ", ".join(ast.unparse(element) for element in statement.iter.elts)  # type: ignore[attr-defined]
    target, text = ast.unparse(statement.target), context.code.segment(move)
    new = f"{names} = ({text} for {target} in ({names}))"
    before = context.code.segment(statement)
    return CodeFix(
        "Keep the results, under the names that are used",
        (Edit(statement.lineno, before, new),),
    )


def _is_loop_variable(site: CodeSite, context: Context, receiver: ast.expr) -> bool:
    name = ast.unparse(receiver)
    loops = (other.statement for other in context.code.sites(site.function))
    return any(isinstance(s, ast.For) and name in ast.unparse(s.target) for s in loops)


def move_first(finding: Finding, context: Context) -> CodeFix | None:
    """Of an input that nothing moves: moved at the top of the function that takes it."""
    site = context.code.site(finding.line)
    if site is None or site.function is None or finding.where not in parameters(site.function):
        return None
    body = [statement for statement in site.function.body if not _is_docstring(statement)]
    device = registered_device(context.code, site, context.evidence)
    if not body or not device:
        return None
    first = context.code.line(body[0].lineno)
    new = f"{finding.where} = {finding.where}.to({device})"
    edit = Edit(body[0].lineno, first, f"{new}\n{first}")
    return CodeFix("Move it before it is used", (edit,))


def _is_docstring(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def lengths_to_cpu(finding: Finding, context: Context) -> CodeFix | None:
    """Of the lengths of packed sequences: `.cpu()` for this call alone."""
    site = context.code.site(finding.line)
    calls = calls_in(site.statement, "pack_padded_sequence") if site else []
    if site is None or len(calls) != 1:
        return None
    (call,) = calls
    named = (keyword.value for keyword in call.keywords if keyword.arg == "lengths")
    lengths = next(iter((*call.args[1:], *named)), None)
    if lengths is None:
        return None
    text = context.code.segment(lengths)
    edit = context.code.edit_spans(site, [(context.code.span(lengths), f"{text}.cpu()")])
    return CodeFix("Bring the lengths back for this call", (edit,))
