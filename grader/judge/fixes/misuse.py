"""Fixes of what is misused: registration, Parameters, overridden moves, layers of a call."""

from __future__ import annotations

import ast

from grader.judge.fixes.expressions import (
    called_name,
    constructor_of,
    parameters,
)
from grader.judge.fixes.fix import CodeFix, Context, Fault, assignment_to
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
    return _assigned_before(context, site) or _other_container(finding, context, site)


def _assigned_before(context: Context, site: CodeSite) -> CodeFix | None:
    """Of `self.x = …` and then `self.register_buffer("x", self.x)`: the first line registers."""
    call = site.statement.value if isinstance(site.statement, ast.Expr) else None
    if not isinstance(call, ast.Call) or not called_name(call).startswith("register_"):
        return None
    if len(call.args) < 2 or not isinstance(call.args[0], ast.Constant):
        return None
    path = f"self.{call.args[0].value!s}"
    earlier = [
        (other, found[1])
        for other in context.code.sites(site.function)
        if (found := assignment_to(context, path, other.statement.lineno))
    ]
    body = site.function.body if site.function else []
    if ast.unparse(call.args[1]) != path or len(earlier) != 1 or site.statement not in body:
        return None
    ((other, value),) = earlier
    changes = [(context.code.span(call.args[1]), context.code.segment(value))]
    registered = context.code.edit_spans(site, changes).after
    moved = context.code.edit_statement(other, registered)
    return CodeFix("Register it at once", (moved, context.code.edit_statement(site, "")))


def _other_container(finding: Fault, context: Context, site: CodeSite) -> CodeFix | None:
    """Of a container that was given what another one holds: that one."""
    statement = site.statement
    call = statement.value if isinstance(statement, ast.Assign) else None
    if not isinstance(call, ast.Call) or len(call.args) != 1 or call.keywords:
        return None
    (given,), name = call.args, called_name(call)
    is_dict = isinstance(given, ast.Dict | ast.DictComp)
    right_name = name
    if finding.variant == "Parameter among modules":
        right_name = right_name.replace("Module", "Parameter").replace(
            "Sequential", "ParameterList"
        )
    if is_dict:
        right_name = right_name.replace("List", "Dict")
    if right_name == name or not name.startswith(("Module", "Parameter", "Sequential")):
        return None
    new = context.code.segment(call.func).removesuffix(name) + right_name
    edit = context.code.edit_spans(site, [(context.code.span(call.func), new)])
    return CodeFix(f"Use `nn.{right_name}`", (edit,))


def _initialised_first(context: Context, site: CodeSite) -> CodeFix | None:
    function = site.function or (
        site.statement if isinstance(site.statement, ast.FunctionDef) else None
    )
    if function is None or function.name != "__init__":
        return None
    body = [
        statement
        for statement in function.body
        if not isinstance(statement, ast.Expr) or _is_call(statement)
    ]
    if not body:
        return None
    arguments = _arguments_of_base(context, site)
    if not set(arguments) <= set(parameters(function)):
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


def _is_call(statement: ast.Expr) -> bool:
    return isinstance(statement.value, ast.Call)


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


def return_self(finding: Fault, context: Context) -> CodeFix | None:
    """Of an overridden move that returns nothing: its last line."""
    site = context.code.site(finding.line)
    method = site.statement if site else None
    if finding.variant != "gives nothing" or not isinstance(method, ast.FunctionDef):
        return None
    if any(isinstance(node, ast.Return) for node in ast.walk(method)):
        return None
    return CodeFix("Return the module", (context.code.added_after(method.body[-1], "return self"),))
