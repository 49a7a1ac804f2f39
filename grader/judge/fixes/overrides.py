"""Fixes of overridden moves: what they do by hand is registered, and they are left out."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from grader.judge.fixes.expressions import called_name, constructor_of, is_docstring
from grader.judge.fixes.fix import CodeFix, Context, Fault
from grader.judge.fixes.registering import MOVES, register
from grader.judge.fixes.remembered import ask_when_needed, binds
from grader.judge.lookups import structure
from grader.schema import Edit


def return_self(finding: Fault, context: Context) -> CodeFix | None:
    """Of an overridden move that returns nothing: its last line."""
    site = context.code.site(finding.line)
    method = site.statement if site else None
    if finding.variant != "gives nothing" or not isinstance(method, ast.FunctionDef):
        return None
    if any(isinstance(node, ast.Return) for node in ast.walk(method)):
        return None
    return CodeFix("Return the module", (context.code.added_after(method.body[-1], "return self"),))


def leave_to_module(finding: Fault, context: Context) -> CodeFix | None:
    """Of overrides that move tensors, or set a device, and do nothing else."""
    site = context.code.site(finding.line)
    owner = site.owner if site and isinstance(site.statement, ast.FunctionDef) else None
    if finding.variant or owner is None:
        return None
    moves = [m for m in owner.body if isinstance(m, ast.FunctionDef) and m.name in MOVES]
    assigned = [path for move in moves for path in _assigned(move)]
    if "" in assigned or not assigned or any(move.decorator_list for move in moves):
        return None
    edits: list[Edit] = [context.code.left_out(move) for move in moves]
    for path in dict.fromkeys(assigned):
        own = list(_own_edits(path, owner, context))
        if not own:
            return None
        edits += own
    words = "Register what it moves, and leave the override out"
    if set(assigned) <= {d.path for d in structure(context.evidence).devices}:
        words = "Leave the override out, and ask for the device where it is needed"
    return CodeFix(words, tuple(sorted(edits, key=lambda edit: edit.line)))


def _assigned(move: ast.FunctionDef) -> Iterator[str]:
    """The attributes that a move assigns; `""` for each statement that does something else."""
    own = {"self"}  # and other names for the module: `new = super().to(device)`
    for statement in (s for s in move.body if not is_docstring(s)):
        value = getattr(statement, "value", None)
        if isinstance(statement, ast.Return | ast.Expr):
            is_own = isinstance(value, ast.Name) and value.id in own
            yield from () if is_own or _is_inherited(value) else ("",)
        elif isinstance(statement, ast.Assign) and len(statement.targets) == 1:
            name, _, attribute = ast.unparse(statement.targets[0]).partition(".")
            if _is_inherited(value):
                own.add(name)
            else:
                yield f"self.{attribute}" if attribute and name in own else ""
        else:
            yield ""


def _is_inherited(value: ast.expr | None) -> bool:
    """Whether it is the base class's own move: `super().to(device)`."""
    receiver = getattr(getattr(value, "func", None), "value", None)
    return called_name(receiver) == "super" if receiver else False


def _own_edits(path: str, owner: ast.ClassDef, context: Context) -> Iterator[Edit]:
    """The edits after which nobody need set this attribute."""
    init = constructor_of(owner)
    bound = [s for s in context.code.sites(init) if binds(s.statement, path)] if init else []
    if init is None or len(bound) != 1 or bound[0].statement not in init.body:
        return
    line = bound[0].statement.lineno
    fault = Fault("", "error", path, line, "", "")
    if any(device.path == path for device in structure(context.evidence).devices):
        if fix := ask_when_needed(fault, context):
            yield from (*fix.edits, context.code.left_out(bound[0].statement))
    elif fix := register(fault, context):
        yield from fix.edits
