"""Fixes of a layer that is built when the module is called: it is built in `__init__`."""

from __future__ import annotations

import ast
import re

from grader.judge.fixes.devices import is_layer
from grader.judge.fixes.expressions import (
    bindings,
    called_name,
    calls_in,
    constructor_of,
    local_names,
    module_classes,
    names_in,
)
from grader.judge.fixes.fix import CodeFix, Context, assignment_to
from grader.judge.fixes.remembered import binds_none
from grader.judge.fixes.source_file import CodeSite, Span
from grader.schema import Edit, Finding

# `nn.LazyLinear` learns its first size, which `nn.Linear` is given first, in its first call.
_LAZY = re.compile(r"Linear|BatchNorm\dd|Conv(Transpose)?\dd")
_WORDS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")  # between the words of a class name
_LOOPS = (ast.For, ast.While, ast.ListComp, ast.GeneratorExp, ast.DictComp, ast.SetComp)
_FINISHES = re.compile(r"^self\.\w+\(|\bself\.(named_)?parameters\(")
IN_CONSTRUCTOR = "Build it in `__init__`"


def build_in_constructor(finding: Finding, context: Context) -> CodeFix | None:
    """Of what `forward` builds from attributes alone; a size of the input makes it a lazy layer."""
    site = context.code.site(finding.line)
    classes = module_classes(context.code, site) if site else []
    init = constructor_of(classes[0]) if classes else None
    if site is None or init is None or site.function is init or _repeats(site, context):
        return None
    if finding.where.startswith("self."):
        return _kept(finding.where, site, init, context)
    made, changes = [], []
    for call in _layers(site.head, context):
        text, name = _built_before(call, site, context), _new_name(call, site, context)
        if not text:
            return None
        made.append(f"self.{name} = {text}")
        changes.append((_with_moves(call, site, context), f"self.{name}"))
    if not made:
        return None
    added = _added(init, made, context)
    return CodeFix(IN_CONSTRUCTOR, (added, context.code.edit_spans(site, changes)))


def _kept(path: str, site: CodeSite, init: ast.FunctionDef, context: Context) -> CodeFix | None:
    """Of `if self.fc is None: self.fc = nn.Linear(…)`: built at once, where None was assigned."""
    found = assignment_to(context, path, site.statement.lineno)
    calls = _layers(site.head, context)
    if found is None or len(calls) != 1:
        return None
    (call,) = calls
    text = _built_before(call, site, context)
    if not text or _with_moves(call, site, context) != context.code.span(found[1]):
        return None
    left_out = _with_condition(path, site, context)
    if left_out is None:
        return None
    made, last = f"{path} = {text}", init.body[-1]
    none = next((s for s in context.code.sites(init) if binds_none(s.statement, path)), None)
    if none and (
        ast.unparse(none.statement) != f"{path} = None" or none.statement not in init.body
    ):
        return None
    if none and none.statement is last:
        return CodeFix(IN_CONSTRUCTOR, (context.code.edit_statement(none, made), left_out))
    edits = (context.code.left_out(none.statement),) if none else ()
    return CodeFix(IN_CONSTRUCTOR, (*edits, _added(init, [made], context), left_out))


def _added(init: ast.FunctionDef, made: list[str], context: Context) -> Edit:
    """The layers at the end of `__init__`, before what looks at all that is there.

    Such as `self.apply(init_weights)`, `self.to(device)`, `Adam(self.parameters())`.
    """
    complete = [s for s in init.body if _FINISHES.search(ast.unparse(s))]
    if complete:
        return context.code.added_before(complete[0].lineno, "\n".join(made))
    return context.code.added_after(init.body[-1], *made)


def _with_condition(path: str, site: CodeSite, context: Context) -> Edit | None:
    """Leaves out the statement and the question whether it has run; None if more hangs on that."""
    function = site.function
    if function is None:
        return None
    if site.statement in function.body:
        return context.code.left_out(site.statement) if len(function.body) > 1 else None
    asked = (f"{path} is None", f"not {path}", f"not hasattr(self, '{path.removeprefix('self.')}')")
    for condition in function.body:
        if isinstance(condition, ast.If) and condition.body == [site.statement]:
            is_asked = ast.unparse(condition.test) in asked and not condition.orelse
            return context.code.left_out(condition) if is_asked else None
    return None


def _layers(node: ast.AST, context: Context) -> list[ast.Call]:
    calls = (call for call in ast.walk(node) if isinstance(call, ast.Call))
    return [call for call in calls if is_layer(call, context)]


def _built_before(call: ast.Call, site: CodeSite, context: Context) -> str:
    """The text of a layer without what only a call knows; `""` if it cannot do without."""
    known = [
        is_known(argument, site) for argument in (*call.args, *(k.value for k in call.keywords))
    ]
    without = [k for k in call.keywords if k.arg == "device"]
    if without or not call.args:
        return ""
    if all(known):
        return context.code.segment(call)
    if not _LAZY.fullmatch(called_name(call)) or known[0] or not all(known[1:]):
        return ""
    name = context.code.segment(call.func).removesuffix(called_name(call))
    rest = [context.code.segment(argument) for argument in (*call.args[1:], *call.keywords)]
    return f"{name}Lazy{called_name(call)}({', '.join(rest)})"


def is_known(node: ast.expr, site: CodeSite) -> bool:
    """Whether an expression of a method can be moved to the end of `__init__`.

    So it can if it reads no local name, and no attribute that another method assigns.
    """
    local = local_names(site.function) - {"self"} if site.function else set()
    others = (m for m in (site.owner.body if site.owner else ()) if m is not _init(site))
    assigned = {name for method in others for name in bindings(method)}
    attributes = {n.attr for n in ast.walk(node) if isinstance(n, ast.Attribute)}
    return not attributes & assigned and not any(name.id in local for name in names_in(node))


def _init(site: CodeSite) -> ast.FunctionDef | None:
    return constructor_of(site.owner) if site.owner else None


def _repeats(site: CodeSite, context: Context) -> bool:
    """Whether one call of the module may run the statement twice: each time, with a new layer."""
    function = site.function
    assert function is not None
    loops = [node for node in ast.walk(function) if isinstance(node, _LOOPS)]
    repeated = [call for loop in loops for call in _layers(loop, context)]
    calls = [n for n in ast.walk(site.owner or function) if called_name(n) == function.name]
    in_loop = any(call in repeated for call in _layers(site.head, context))
    return in_loop or (function.name != "forward" and len(calls) != 1)


def _with_moves(call: ast.Call, site: CodeSite, context: Context) -> Span:
    """A layer and the moves right behind it: `nn.Linear(2, 2).to(x)`."""
    moves = (move for name in ("to", "cuda", "cpu") for move in calls_in(site.head, name))
    whole = next((move for move in moves if getattr(move.func, "value", None) is call), call)
    return context.code.span(whole)


def _new_name(call: ast.Call, site: CodeSite, context: Context) -> str:
    """A name for a layer after its class, which no other one of the class gets."""
    assert site.owner is not None
    base = _WORDS.sub("_", called_name(call)).lower()
    taken = {*bindings(site.owner), *(getattr(method, "name", "") for method in site.owner.body)}
    free = [n for n in (base, *(f"{base}_{i}" for i in range(2, 99))) if n not in taken]
    in_init = set(_layers(_init(site) or ast.Module([], []), context))
    alike = [c for c in _layers(site.owner, context) if called_name(c) == called_name(call)]
    later = sorted({*alike} - in_init, key=lambda each: (each.lineno, each.col_offset))
    return free[later.index(call)]
