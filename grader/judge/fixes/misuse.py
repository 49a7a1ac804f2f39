"""Fixes of misused registration."""

from __future__ import annotations

import ast

from grader.judge.fixes.code import Place
from grader.judge.fixes.fix import Fix, Known
from grader.judge.report import Edit, Finding

INITIALISED = "super().__init__()"


def registered_right(finding: Finding, known: Known) -> Fix | None:
    """Of `self.x = self.register_buffer(…)` and of a missing or late `super().__init__()`."""
    place = known.code.place(finding.line)
    if place is None:
        return None
    if INITIALISED in finding.fix:
        return _initialised_first(known, place)
    statement = place.statement
    if isinstance(statement, ast.Assign) and "returns None" in finding.message:
        text = known.code.segment(statement.value)
        return Fix("Register without assigning", (known.code.rewritten(place, text),))
    return None


def _initialised_first(known: Known, place: Place) -> Fix | None:
    function = place.function or (
        place.statement if isinstance(place.statement, ast.FunctionDef) else None
    )
    if function is None or function.name != "__init__":
        return None
    body = [each for each in function.body if not isinstance(each, ast.Expr) or _is_call(each)]
    if not body:
        return None
    first = known.code.line(body[0].lineno)
    edits = [Edit(body[0].lineno, first, f"{INITIALISED}\n{first}")]
    late = [each for each in body if ast.unparse(each) == INITIALISED]
    edits += [Edit(each.lineno, known.code.segment(each), "") for each in late]
    words = f"Make `{INITIALISED}` the first line of `__init__`"
    return Fix(words, tuple(edits))


def _is_call(statement: ast.Expr) -> bool:
    return isinstance(statement.value, ast.Call)


def tied(finding: Finding, known: Known) -> Fix | None:
    """Of two Parameters over one memory: the same Parameter under both names."""
    first = finding.message.split("`")[1]
    place, fact, other = (
        known.code.place(finding.line),
        known.fact(finding.where),
        known.fact(first),
    )
    if place is None or fact is None or other is None or fact.shape != other.shape:
        return None
    statement = place.statement
    is_its = isinstance(statement, ast.Assign) and [
        ast.unparse(each) for each in statement.targets
    ] in ([finding.where], [f"{finding.where}.data"])
    if not is_its:
        return None
    edit = known.code.rewritten(place, f"{finding.where} = {first}")
    return Fix("Tie them by assigning the Parameter itself", (edit,))
