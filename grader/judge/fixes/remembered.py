"""Fixes of a device, or a tensor, that a module remembers from an earlier call."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from grader.judge.fixes.expressions import draws, parameters
from grader.judge.fixes.fix import CodeFix, Context
from grader.judge.fixes.placing import takes_device, with_device
from grader.judge.fixes.registration import ATTRIBUTE
from grader.judge.fixes.source_file import CodeSite, is_block
from grader.schema import Edit, Finding


def ask_when_needed(finding: Finding, context: Context) -> CodeFix | None:
    """Of a remembered device, or a remembered tensor: the device is asked for in each call."""
    site = context.code.site(finding.line)
    if site is None or site.function is None:
        return None
    if not ATTRIBUTE.match(finding.where):
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
        uses = loads(site.statement, path)
        if not uses or is_block(site.statement) or binds(site.statement, path):
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
    family = _family(found.owner, context) if found.owner else []
    sites = [s for s in context.code.sites() if s.owner in family and s.function]
    building = {"__init__"} | {
        name for name, callers in _callers(sites).items() if callers == {"__init__"}
    }
    yield from (site for site in sites if site.function and site.function.name not in building)


def _callers(sites: list[CodeSite]) -> dict[str, set[str]]:
    """By the names of methods: those that call them on `self`."""
    callers: dict[str, set[str]] = {}
    for site in sites:
        for call in (node for node in ast.walk(site.head) if isinstance(node, ast.Call)):
            name = ast.unparse(call.func)
            if name.startswith("self.") and site.function:
                callers.setdefault(name.removeprefix("self."), set()).add(site.function.name)
    return callers


def binds(statement: ast.stmt, path: str) -> bool:
    """Whether the statement binds it, alone or with others: `self.d = self.d or x.device`."""
    targets = statement.targets if isinstance(statement, ast.Assign) else ()
    each = (e for target in targets for e in getattr(target, "elts", (target,)))
    return any(ast.unparse(element) == path for element in each)


def loads(node: ast.AST, path: str) -> list[ast.Attribute]:
    return [
        child
        for child in ast.walk(node)
        if isinstance(child, ast.Attribute)
        and isinstance(child.ctx, ast.Load)
        and ast.unparse(child) == path
    ]


def _rebuild_when_moved(path: str, context: Context, site: CodeSite) -> CodeFix | None:
    """Of a tensor that is kept: made again when the input is on another device.

    The condition under which it is made holds as long as there is none, or the next line would
    fail: so what is asked after `or` has a device.
    """
    sites = [s for s in context.code.sites() if s.function and s.function.name != "__init__"]
    if binds(site.statement, path):
        sites = [other for other in sites if other.owner is site.owner]
    if any(binds_none(other.statement, path) for other in sites):
        return None  # it is cleared
    kept = [other for other in sites if binds(other.statement, path)]
    is_one_of_several = len(kept) > 1
    kept = [site] if site in kept else kept
    around = [other for other in sites for at in kept if _is_made_under(other.statement, at)]
    if len(kept) != 1 or not around:
        return None
    (made_at,), condition = kept, around[-1]
    device, test = _device_given(condition, context), condition.statement.test  # type: ignore[attr-defined]
    is_inner = any(_holds(other.statement, condition.statement) for other in sites)
    if (is_one_of_several or is_inner) and not loads(test, path):
        return None  # a state, which that condition updates; or an option beside the question
    if not device or f"{path}.device" in ast.unparse(test):
        return None
    new = f"{_before_or(test, context)} or {path}.device != {device}"
    edits = [context.code.edit_spans(condition, [(context.code.span(test), new)])]
    makers = [n for n in ast.walk(made_at.statement) if takes_device(n, context)][:1]
    changes = [change for call in makers for change in with_device(call, device, context)]
    made = context.code.edit_spans(made_at, changes)
    edits += [made] if made.before != made.after else []
    return CodeFix("Make it again when the input is on another device", tuple(edits))


def _device_given(site: CodeSite, context: Context) -> str:
    """The device that a function is given, or that of a tensor in scope."""
    given = parameters(site.function) if site.function else []
    return "device" if "device" in given else context.device_at(site)


def _holds(block: ast.stmt, statement: ast.stmt) -> bool:
    """Whether a statement is in an `if`."""
    return isinstance(block, ast.If) and block is not statement and statement in ast.walk(block)


def _before_or(test: ast.expr, context: Context) -> str:
    """The text of a condition, in brackets where an `or` after it would change its meaning."""
    is_other = isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And)
    text = context.code.segment(test)
    return f"({text})" if is_other or isinstance(test, ast.IfExp | ast.NamedExpr) else text


def _is_made_under(condition: ast.stmt, site: CodeSite) -> bool:
    return isinstance(condition, ast.If) and site.statement in condition.body


def binds_none(statement: ast.stmt, path: str) -> bool:
    return binds(statement, path) and ast.unparse(statement).endswith("= None")


def _family(owner: ast.ClassDef, context: Context) -> list[ast.ClassDef]:
    """The class, its bases and its subclasses, as far as the file defines them."""
    classes = [n for n in ast.walk(context.code.tree) if isinstance(n, ast.ClassDef)]
    bases = context.code.chain(owner.name)
    return [cls for cls in classes if cls in bases or owner in context.code.chain(cls.name)]
