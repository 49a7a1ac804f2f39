"""Fixes of misused registration."""

from __future__ import annotations

import ast

from grader.judge.fixes.expressions import called, parameters
from grader.judge.fixes.fix import Fix, Known
from grader.judge.fixes.source_file import Place
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
    return _other_container(finding, known, place)


def _other_container(finding: Finding, known: Known, place: Place) -> Fix | None:
    """Of a container that was given what another one holds: that one."""
    statement = place.statement
    call = statement.value if isinstance(statement, ast.Assign) else None
    if not isinstance(call, ast.Call) or len(call.args) != 1 or call.keywords:
        return None
    name, is_dict = called(call), isinstance(call.args[0], ast.Dict | ast.DictComp)
    wanted = name
    if "a Parameter is no module" in finding.message:
        wanted = wanted.replace("Module", "Parameter").replace("Sequential", "ParameterList")
    if is_dict:
        wanted = wanted.replace("List", "Dict")
    if wanted == name or not name.startswith(("Module", "Parameter", "Sequential")):
        return None
    new = known.code.segment(call.func).removesuffix(name) + wanted
    edit = known.code.replaced(place, [(known.code.span(call.func), new)])
    return Fix(f"Use `nn.{wanted}`", (edit,))


def _initialised_first(known: Known, place: Place) -> Fix | None:
    function = place.function or (
        place.statement if isinstance(place.statement, ast.FunctionDef) else None
    )
    if function is None or function.name != "__init__":
        return None
    body = [each for each in function.body if not isinstance(each, ast.Expr) or _is_call(each)]
    if not body:
        return None
    wanted = _arguments_of_base(known, place)
    if not set(wanted) <= set(parameters(function)):
        return None
    first = known.code.line(body[0].lineno)
    call = f"super().__init__({', '.join(wanted)})"
    edits = [Edit(body[0].lineno, first, f"{call}\n{first}")]
    late = [each for each in body if ast.unparse(each) == INITIALISED]
    edits += [Edit(each.lineno, known.code.segment(each), "") for each in late]
    words = f"Make `{INITIALISED}` the first line of `__init__`"
    return Fix(words, tuple(edits))


def _arguments_of_base(known: Known, place: Place) -> list[str]:
    """What the constructor of a base class in this file takes."""
    for base in known.code.chain(place.owner.name)[1:] if place.owner else ():
        for each in base.body:
            if isinstance(each, ast.FunctionDef) and each.name == "__init__":
                return parameters(each)
    return []


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
