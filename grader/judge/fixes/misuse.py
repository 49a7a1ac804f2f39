"""Fixes of what is misused: registration, Parameters, overridden moves, layers of a call."""

from __future__ import annotations

import ast
import re

from grader.judge.fixes.expressions import (
    bindings,
    called_name,
    constructor_of,
    local_names,
    parameters,
)
from grader.judge.fixes.fix import CodeFix, Context, Fault, assignment_to
from grader.judge.fixes.placing import LAYERS, is_move, takes_device
from grader.judge.fixes.registration import is_wrapper
from grader.judge.fixes.source_file import CodeSite
from grader.schema import SUPER_INIT

_LOOPS = (ast.For, ast.While, ast.ListComp, ast.GeneratorExp, ast.DictComp, ast.SetComp)
# What looks at all that is there: `self.apply(init_weights)`, `Adam(self.parameters())`.
_FINISHES = re.compile(r"^self\.\w+\(|\bself\.(named_)?parameters\(")
_WORDS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")  # between the words of a class name


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
    if is_its:
        edit = context.code.edit_statement(site, f"{finding.where} = {first}")
        return CodeFix(words, (edit,))
    if is_given := first in _given(statement, finding.where):
        edit = context.code.added_after(statement, f"{finding.where} = {first}")
    return CodeFix(words, (edit,)) if is_given else None


def _given(statement: ast.stmt, path: str) -> list[str]:
    """The arguments of the call that makes what holds `path`: `nn.Embedding(9, 4, _weight=w)`."""
    if not isinstance(statement, ast.Assign) or not isinstance(statement.value, ast.Call):
        return []
    if [ast.unparse(target) for target in statement.targets] != [path.rpartition(".")[0]]:
        return []
    call = statement.value
    return [ast.unparse(argument) for argument in (*call.args, *(k.value for k in call.keywords))]


def return_self(finding: Fault, context: Context) -> CodeFix | None:
    """Of an overridden move that returns nothing: its last line."""
    site = context.code.site(finding.line)
    method = site.statement if site else None
    if finding.variant != "gives nothing" or not isinstance(method, ast.FunctionDef):
        return None
    if any(isinstance(node, ast.Return) for node in ast.walk(method)):
        return None
    return CodeFix("Return the module", (context.code.added_after(method.body[-1], "return self"),))


def copy_values(finding: Fault, context: Context) -> CodeFix | None:
    """Of an assignment that would take a Parameter's place, in a call: its new values for it."""
    site = context.code.site(finding.line)
    targets = getattr(site.statement, "targets", []) if site else []
    path = ast.unparse(targets[0]) if len(targets) == 1 else ""
    found, fact = assignment_to(context, path, finding.line), context.fact(path)
    if site is None or site.function is None or found is None or fact is None:
        return None
    if site.function.name == "__init__" or (
        isinstance(found[1], ast.Call) and is_wrapper(found[1])
    ):
        return None  # what is wrapped may be meant to be trained through
    around: list[ast.expr] = list(site.function.decorator_list)
    for other in context.code.sites(site.function):
        if isinstance(other.statement, ast.With) and site.statement in other.statement.body:
            around += [item.context_expr for item in other.statement.items]
    is_untrained = any(called_name(node) in ("no_grad", "inference_mode") for node in around)
    if not is_untrained and fact.requires_grad:
        return None
    copied = [f"{path}.copy_({context.code.segment(found[1])})"]
    if not is_untrained:
        copied = [f"with {context.code.name_of('torch')}.no_grad():", f"    {copied[0]}"]
    edit = context.code.edit_statement(site, *copied)
    return CodeFix("Change its values instead", (edit,))


def build_in_constructor(finding: Fault, context: Context) -> CodeFix | None:
    """Of the one layer of its kind that `forward` builds, from what the constructor knows."""
    site = context.code.site(finding.line)
    owner, function = (site.owner, site.function) if site else (None, None)
    init = constructor_of(owner) if owner else None
    if site is None or owner is None or init is None or function is None:
        return None
    later = [m for m in owner.body if isinstance(m, ast.FunctionDef) and m is not init]
    built = [n for m in later for n in ast.walk(m) if called_name(n) in LAYERS]
    calls = [n for n in ast.walk(site.head) if n in built and takes_device(n, context)]
    if function.name != "forward" or len(calls) != 1 or finding.where.startswith("self."):
        return None
    (call,) = calls
    name = _WORDS.sub("_", called_name(call)).lower()
    loops = [n for n in ast.walk(function) if isinstance(n, _LOOPS)]
    set_later = {bound for method in later for bound in bindings(method)} | local_names(function)
    read = {getattr(n, "attr", getattr(n, "id", "")) for n in ast.walk(call)} - {"self"}
    is_alone = sum(called_name(node) == called_name(call) for node in built) == 1
    if not is_alone or read & set_later or name in {*bindings(owner)}:
        return None
    if any(call is node for loop in loops for node in ast.walk(loop)):
        return None
    moves = (n for n in ast.walk(site.head) if is_move(n))
    whole = next((m for m in moves if getattr(m.func, "value", None) is call), call)
    made = f"self.{name} = {context.code.segment(call)}"
    whole_looks = [s for s in init.body if _FINISHES.search(ast.unparse(s))]
    added = context.code.added_after(init.body[-1], made)
    if whole_looks:
        added = context.code.added_before(whole_looks[0].lineno, made)
    used = context.code.edit_spans(site, [(context.code.span(whole), f"self.{name}")])
    return CodeFix("Build it in `__init__`", (added, used))
