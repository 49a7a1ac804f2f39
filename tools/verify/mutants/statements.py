"""Statements deleted, their results dropped, or moved out of `forward` or into it."""

from __future__ import annotations

import ast

from verify.mutants.mutant import Changes, TreeChange, TreeEdit, change


def deleted(node: ast.AST) -> Changes:
    """A statement that is no definition."""
    kinds = ast.Assign | ast.AugAssign | ast.AnnAssign | ast.Expr | ast.Return | ast.If | ast.For
    if isinstance(node, kinds) and not _is_docstring(node):
        yield change("statement deleted", node, "pass")
    if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
        yield change("result not assigned", node, ast.Expr(node.value))


def conditions(node: ast.AST) -> Changes:
    """A branch always or never taken."""
    if isinstance(node, ast.If | ast.IfExp):
        yield change("condition", node.test, "True")
        yield change("condition", node.test, "False")


def cache_of_first_call(cls: ast.AST) -> Changes:
    """What a method makes in each call is made in the first one, and kept."""
    if not isinstance(cls, ast.ClassDef):
        return
    for method in cls.body:
        if not isinstance(method, ast.FunctionDef) or method.name == "__init__":
            continue
        for node in ast.walk(method):
            if isinstance(node, ast.Call) and _makes_a_tensor(node):
                kept = f'self.__dict__.setdefault("made_once", {ast.unparse(node)})'
                yield change("made in the first call only", node, kept)


def statement_into_forward(cls: ast.AST) -> Changes:
    """A statement of the constructor that needs no argument, in `forward`.

    1. Only of a class with both methods.
    2. Only a statement that names no argument and no local variable of the constructor.
    3. It goes before the first statement of `forward`, after a docstring.
    """
    if not isinstance(cls, ast.ClassDef):
        return
    methods = {
        statement.name: statement
        for statement in cls.body
        if isinstance(statement, ast.FunctionDef)
    }
    start, forward = methods.get("__init__"), methods.get("forward")
    if start is None or forward is None:
        return
    arguments = {argument.arg for argument in start.args.args} - {"self"}
    local = {
        node.id
        for node in ast.walk(start)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    first = forward.body[1] if _is_docstring(forward.body[0]) else forward.body[0]
    for statement in start.body[1:]:
        used = {node.id for node in ast.walk(statement) if isinstance(node, ast.Name)}
        if isinstance(statement, ast.Assign | ast.Expr) and not used & (arguments | local):
            text = f"{ast.unparse(statement)}\n{ast.unparse(first)}"
            yield TreeChange(
                "moved into forward", (TreeEdit(statement, "pass"), TreeEdit(first, text))
            )


def _makes_a_tensor(node: ast.Call) -> bool:
    function = node.func
    if not isinstance(function, ast.Attribute):
        return False
    makers = ("arange", "linspace", "ones", "rand", "randn", "randn_like", "rand_like", "zeros")
    return function.attr in makers


def _is_docstring(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


RULES = (deleted, conditions, cache_of_first_call, statement_into_forward)
