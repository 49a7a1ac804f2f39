"""Fixes of a move that is missing, or whose result is dropped."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from grader.judge.fixes.expressions import (
    called,
    calls_in,
    moves_only,
    parameters,
    registered_device,
)
from grader.judge.fixes.fix import Fix, Known
from grader.judge.fixes.source_file import Place
from grader.judge.report import Edit, Finding


def kept(finding: Finding, known: Known) -> Fix | None:
    """Of a move whose result is dropped: the result under the name that is used."""
    place = known.code.place(finding.line)
    statement = place.statement if place else None
    if place is None or not isinstance(statement, ast.Expr):
        return None
    move = statement.value
    if not isinstance(move, ast.Call) or called(move) not in ("to", "cuda", "cpu"):
        return None
    receiver = move.func.value  # type: ignore[attr-defined]
    if isinstance(receiver, ast.Attribute) and known.fact(ast.unparse(receiver)):
        return None  # a member tensor, which is to be registered
    loop = _loop_over(place, known, receiver)
    if loop is not None:
        return _loop_unrolled(known, loop, move)
    edits = tuple(_kept_alike(known, place))
    return Fix("Keep the result, under the name that is used", edits) if edits else None


def _kept_alike(known: Known, place: Place) -> Iterator[Edit]:
    """An assignment for each move of a name in this function whose result is dropped."""
    for each in known.code.places(place.function):
        move = each.statement.value if isinstance(each.statement, ast.Expr) else None
        if not isinstance(move, ast.Call) or not isinstance(move.func, ast.Attribute):
            continue
        receiver = move.func.value
        is_name = isinstance(receiver, ast.Name) and not _is_loop_variable(each, known, receiver)
        if move.func.attr in ("to", "cuda", "cpu") and is_name:
            device = known.device_at(each)
            text = known.code.segment(move)
            if device and moves_only(move) and move.func.attr != "to":
                text = f"{known.code.segment(receiver)}.to({device})"
            yield known.code.rewritten(each, f"{known.code.segment(receiver)} = {text}")


def _loop_over(place: Place, known: Known, receiver: ast.expr) -> Place | None:
    """The loop whose whole body is this move of its variable, if it goes through names."""
    for each in known.code.places(place.function):
        loop = each.statement
        if isinstance(loop, ast.For) and loop.body == [place.statement] and not loop.orelse:
            is_its = ast.unparse(loop.target) == ast.unparse(receiver)
            elements = loop.iter.elts if isinstance(loop.iter, ast.Tuple | ast.List) else []
            if is_its and elements and all(isinstance(e, ast.Name) for e in elements):
                return each
    return None


def _loop_unrolled(known: Known, loop: Place, move: ast.Call) -> Fix:
    statement = loop.statement
    assert isinstance(statement, ast.For)
    names = ", ".join(ast.unparse(each) for each in statement.iter.elts)  # type: ignore[attr-defined]
    target, text = ast.unparse(statement.target), known.code.segment(move)
    new = f"{names} = ({text} for {target} in ({names}))"
    before = known.code.segment(statement)
    return Fix(
        "Keep the results, under the names that are used",
        (Edit(statement.lineno, before, new),),
    )


def _is_loop_variable(place: Place, known: Known, receiver: ast.expr) -> bool:
    name = ast.unparse(receiver)
    loops = (each.statement for each in known.code.places(place.function))
    return any(isinstance(s, ast.For) and name in ast.unparse(s.target) for s in loops)


def moved_first(finding: Finding, known: Known) -> Fix | None:
    """Of an input that nothing moves: moved at the top of the function that takes it."""
    place = known.code.place(finding.line)
    if place is None or place.function is None or finding.where not in parameters(place.function):
        return None
    body = [each for each in place.function.body if not _is_docstring(each)]
    device = registered_device(known.code, place, known.evidence)
    if not body or not device:
        return None
    first = known.code.line(body[0].lineno)
    new = f"{finding.where} = {finding.where}.to({device})"
    edit = Edit(body[0].lineno, first, f"{new}\n{first}")
    return Fix("Move it before it is used", (edit,))


def _is_docstring(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def lengths_on_the_cpu(finding: Finding, known: Known) -> Fix | None:
    """Of the lengths of packed sequences: `.cpu()` for this call alone."""
    place = known.code.place(finding.line)
    calls = calls_in(place.statement, "pack_padded_sequence") if place else []
    if place is None or len(calls) != 1:
        return None
    named = [each.value for each in calls[0].keywords if each.arg == "lengths"]
    lengths = [*calls[0].args[1:2], *named]
    if not lengths:
        return None
    text = known.code.segment(lengths[0])
    edit = known.code.replaced(place, [(known.code.span(lengths[0]), f"{text}.cpu()")])
    return Fix("Bring the lengths back for this call", (edit,))
