"""Fixes of what is misused: registration, Parameters, overridden moves, layers of a call."""

from __future__ import annotations

import ast

from grader.judge.fixes.expressions import constructor_of, is_docstring, parameters
from grader.judge.fixes.fix import CodeFix, Context, Fault
from grader.judge.fixes.source_file import CodeSite
from grader.schema import SUPER_INIT


def fix_registration(finding: Fault, context: Context) -> CodeFix | None:
    """Of `self.x = self.register_buffer(…)` and of a missing or late `super().__init__()`."""
    site = context.code.site(finding.line)
    if site is None:
        return None
    if finding.variant == "not initialised first":
        return _initialised_first(context, site)
    statement = site.statement
    if isinstance(statement, ast.Assign) and finding.variant == "result assigned":
        text = context.code.segment(statement.value)
        return CodeFix("Register without assigning", (context.code.edit_statement(site, text),))
    return None


def _initialised_first(context: Context, site: CodeSite) -> CodeFix | None:
    function = site.function or site.statement
    if not isinstance(function, ast.FunctionDef) or function.name != "__init__":
        return None
    body = [statement for statement in function.body if not is_docstring(statement)]
    arguments = _arguments_of_base(context, site)
    if not body or not set(arguments) <= set(parameters(function)):
        return None
    call = f"super().__init__({', '.join(arguments)})"
    edits = [context.code.added_before(body[0].lineno, call)]
    late = [statement for statement in body if ast.unparse(statement) == SUPER_INIT]
    edits += [context.code.left_out(statement) for statement in late]
    words = f"Make `{SUPER_INIT}` the first line of `__init__`"
    return CodeFix(words, tuple(edits))


def _arguments_of_base(context: Context, site: CodeSite) -> list[str]:
    """The names of the arguments of the nearest base class's `__init__` in this file."""
    for base in context.code.chain(site.owner.name)[1:] if site.owner else ():
        if init := constructor_of(base):
            return parameters(init)
    return []


def tie_weights(finding: Fault, context: Context) -> CodeFix | None:
    """Of two Parameters over one memory: the same Parameter under both names."""
    first, site = finding.shared_with, context.code.site(finding.line)
    fact, other = context.fact(finding.where), context.fact(first)
    if site is None or fact is None or other is None or fact.shape != other.shape:
        return None
    statement, words = site.statement, "Tie them by assigning the Parameter itself"
    is_its = isinstance(statement, ast.Assign) and [
        ast.unparse(target) for target in statement.targets
    ] in ([finding.where], [f"{finding.where}.data"])
    edit = context.code.edit_statement(site, f"{finding.where} = {first}")
    return CodeFix(words, (edit,)) if is_its else None
