"""One form for programs that say the same in other words.

Comments, formatting, docstrings, annotations and the order of methods go; arguments and local
variables are numbered in the order in which they come up. Names of attributes and of imported
functions stay: they are what the program does.
"""

from __future__ import annotations

import ast
import copy
import warnings
from collections.abc import Callable, Iterator

from grader.grading.flags.source import FUNCTIONS

_NOTHING_SAID = (ast.ClassDef, ast.Pass, ast.Import, ast.ImportFrom)


def syntax_tree(text: str) -> ast.Module | None:
    """The syntax tree; None if Python cannot parse the text."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of an invalid escape in a string
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def methods_of(tree: ast.Module, class_name: str) -> dict[str, str]:
    """By name, the normal form of a class's methods, with those of its bases in the same file.

    What is no method (a class attribute, the bases from elsewhere) has the name `""`.
    """
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    found: dict[str, str] = {}
    other: list[str] = []
    waiting, met = [class_name], set[str]()
    while waiting:
        name = waiting.pop(0)
        node = classes.get(name)
        if node is None or name in met:
            continue
        met.add(name)
        for statement in node.body:
            if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
                found.setdefault(statement.name, ast.dump(normal(statement)))
            elif not _is_constant(statement):
                other.append(ast.dump(normal(statement)))
        waiting += [base.id for base in node.bases if isinstance(base, ast.Name)]
    return {**found, "": "\n".join(sorted(other))} if met else {}


def statements_of(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """Each statement in a form without any local names, with its size in nodes.

    Of blocks it is only the first line; imports are left out. Numbered names would differ in
    everything that follows a new variable, and hide what two programs share. The tree is changed.
    """
    for node in ast.walk(tree):
        _simplify(node)
    for node in tree.body:
        _rename(node, lambda _: "name")
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt) and not isinstance(node, _NOTHING_SAID):
            head = _head(node)
            yield ast.dump(head), sum(1 for _ in ast.walk(head))


def normal(node: ast.stmt) -> ast.stmt:
    """A copy of a statement in the normal form."""
    tree = copy.deepcopy(node)
    for part in ast.walk(tree):
        _simplify(part)
    numbers: dict[str, str] = {}
    _rename(tree, lambda name: numbers.setdefault(name, f"name{len(numbers)}"))
    return tree


def _simplify(node: ast.AST) -> None:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        node.returns = None
    if isinstance(node, ast.arg):
        node.annotation = None
    for name in ("body", "orelse", "finalbody"):
        block = getattr(node, name, None)
        if isinstance(block, list):
            kept = [_unannotated(statement) for statement in block if not _is_constant(statement)]
            setattr(node, name, kept or ([ast.Pass()] if block else []))


def _unannotated(node: ast.AST) -> ast.AST:
    """`x: int = 1` as `x = 1`."""
    if isinstance(node, ast.AnnAssign) and node.value is not None:
        return ast.copy_location(ast.Assign([node.target], node.value), node)
    return node


def _is_constant(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _rename(tree: ast.AST, renamed: Callable[[str], str]) -> None:
    """Give arguments and local variables of each outermost function other names."""
    for function in _outermost_functions(tree):
        bound = {name for node in ast.walk(function) for name in _bound(node)}
        for node in ast.walk(function):
            if isinstance(node, ast.arg):
                node.arg = renamed(node.arg)
            elif isinstance(node, ast.Name) and node.id in bound:
                node.id = renamed(node.id)


def _outermost_functions(tree: ast.AST) -> Iterator[ast.AST]:
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, FUNCTIONS):
            yield node
        else:
            waiting += reversed(list(ast.iter_child_nodes(node)))


def _bound(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.arg):
        yield node.arg
    elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        yield node.id


def _head(node: ast.stmt) -> ast.stmt:
    """A statement without the statements in it."""
    if not any(hasattr(node, name) for name in ("body", "cases", "handlers")):
        return node
    head = copy.copy(node)
    for name in ("body", "orelse", "finalbody", "handlers", "cases"):
        if hasattr(head, name):
            setattr(head, name, [])
    return head
