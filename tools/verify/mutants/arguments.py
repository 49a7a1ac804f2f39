"""Arguments exchanged, dropped or defaulted; names mistaken for each other."""

from __future__ import annotations

import ast

from verify.mutants.mutant import Changes, change


def calls(node: ast.AST) -> Changes:
    """Arguments of one call."""
    if not isinstance(node, ast.Call) or _is_super(node):
        return
    for i in range(len(node.args) - 1):
        args = [*node.args]
        args[i], args[i + 1] = args[i + 1], args[i]
        yield change("arguments exchanged", node, ast.Call(node.func, args, node.keywords))
    for i in range(len(node.args)):
        rest = [argument for j, argument in enumerate(node.args) if j != i]
        yield change("argument dropped", node, ast.Call(node.func, rest, node.keywords))
    for keyword in node.keywords:
        left = [other for other in node.keywords if other is not keyword]
        yield change(f"{keyword.arg}= dropped", node, ast.Call(node.func, node.args, left))


def tuples(node: ast.AST) -> Changes:
    """Neighbours in a tuple or list exchanged."""
    if isinstance(node, ast.Tuple | ast.List) and isinstance(node.ctx, ast.Load):
        for i in range(len(node.elts) - 1):
            elements = [*node.elts]
            elements[i], elements[i + 1] = elements[i + 1], elements[i]
            yield change("elements exchanged", node, type(node)(elements, node.ctx))


def names(method: ast.AST, usual: dict[str, object]) -> Changes:
    """One argument of a function where another is meant, or its `usual` value where it is."""
    if not isinstance(method, ast.FunctionDef):
        return
    known = [argument.arg for argument in (*method.args.args, *method.args.kwonlyargs)]
    known = [name for name in known if name != "self"]
    for node in (node for statement in method.body for node in ast.walk(statement)):
        if not isinstance(node, ast.Name) or not isinstance(node.ctx, ast.Load):
            continue
        if node.id in known:
            other = known[(known.index(node.id) + 1) % len(known)]
            if other != node.id:
                yield change("argument mistaken", node, other)
            if method.name == "__init__":
                yield change("argument ignored", node, repr(usual.get(node.id, 11)))


def attributes(cls: ast.AST) -> Changes:
    """Another attribute of the same object where one is read outside the constructor."""
    if not isinstance(cls, ast.ClassDef):
        return
    methods = [statement for statement in cls.body if isinstance(statement, ast.FunctionDef)]
    read = [
        node
        for method in methods
        if method.name != "__init__"
        for node in ast.walk(method)
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load) and _is_self(node)
    ]
    called = {method.name for method in methods}
    known = sorted({node.attr for node in read} - called - {"training"})
    for node in read:
        if node.attr in known and len(known) > 1:
            other = known[(known.index(node.attr) + 1) % len(known)]
            yield change("attribute mistaken", node, f"self.{other}")


def _is_self(node: ast.Attribute) -> bool:
    return isinstance(node.value, ast.Name) and node.value.id == "self"


def _is_super(node: ast.Call) -> bool:
    return isinstance(node.func, ast.Name) and node.func.id == "super"


RULES = (calls, tuples, attributes)
