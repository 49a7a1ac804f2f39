"""Fixes of a device, or a tensor, that a module remembers from an earlier call."""

from __future__ import annotations

import ast
import re

from grader.judge.fixes.devices import FACTORIES, given_device
from grader.judge.fixes.expressions import called
from grader.judge.fixes.fix import Fix, Known
from grader.judge.fixes.source_file import Place, is_block
from grader.judge.report import Edit, Finding


def asked_when_needed(finding: Finding, known: Known) -> Fix | None:
    """Of a remembered device, or a remembered tensor: the device is asked for in each call."""
    place = known.code.place(finding.line)
    if place is None or place.function is None:
        return None
    remembered = re.fullmatch(r"self\.\w+", finding.where)
    if not remembered:
        return None
    devices = known.evidence.structure.devices if known.evidence.structure else ()
    audited = known.evidence.audit
    devices += audited.structure.devices if audited and audited.structure else ()
    if any(each.path == finding.where for each in devices):
        return _without_remembered(finding.where, known)
    return _made_again(finding.where, known, place)


def _without_remembered(path: str, known: Known) -> Fix | None:
    edits: list[Edit] = []
    for place in known.code.places():
        uses = _loads(place.statement, path)
        if not uses or place.function is None or is_block(place.statement):
            continue
        if place.function.name == "__init__":
            continue
        device = known.device_at(place)
        if not device:
            return None
        edits.append(known.code.replaced(place, [(known.code.span(use), device) for use in uses]))
    return Fix("Ask for the device where it is needed", tuple(edits)) if edits else None


def _loads(node: ast.AST, path: str) -> list[ast.Attribute]:
    return [
        each
        for each in ast.walk(node)
        if isinstance(each, ast.Attribute)
        and isinstance(each.ctx, ast.Load)
        and ast.unparse(each) == path
    ]


def _made_again(path: str, known: Known, place: Place) -> Fix | None:
    """Of a tensor that is kept: made again when the input is on another device."""
    for each in known.code.places(place.function):
        test = each.statement.test if isinstance(each.statement, ast.If) else None
        if test is None or f"{path} is None" not in ast.unparse(test):
            continue
        device = known.device_at(each)
        if not device:
            return None
        text = known.code.segment(test)
        text = f"({text})" if _is_and(test) else text
        new = f"{text} or {path}.device != {device}"
        edits = [known.code.replaced(each, [(known.code.span(test), new)])]
        made = given_device(known, place, _factory_in(place.statement), device)
        if made is not None and made.before != made.after:
            edits.append(made)
        return Fix("Make it again when the input is on another device", tuple(edits))
    return None


def _is_and(test: ast.expr) -> bool:
    return isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And)


def _factory_in(statement: ast.stmt) -> str:
    names = (called(node) for node in ast.walk(statement) if isinstance(node, ast.Call))
    return next((name for name in names if name in FACTORIES), "")
