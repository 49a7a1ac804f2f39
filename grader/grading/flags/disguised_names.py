"""Classes that can answer for themselves what the grader asks of them."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from grader.grading.flags.source import DEFINITIONS, FlaggedSite, Source
from grader.schema import Flag

# Defined in a class, these change what it says of itself, or of its tensors.
_ANSWERS = frozenset(
    (
        "__class__", "__getattribute__", "__instancecheck__", "__subclasscheck__",
        "__subclasshook__", "__torch_dispatch__", "__torch_function__", "_buffers", "_modules",
        "_parameters",
    )
)  # fmt: skip
_COMPARISONS = {"__eq__", "__ne__", "__bool__"}
_TENSORS = frozenset(
    ("torch.Tensor", "torch.nn.Parameter", "torch.nn.Buffer", "torch.nn.parameter.Parameter")
)


def disguise_flags(source: Source) -> Iterator[Flag]:
    """A flag for each class that may pose as something else."""
    for site in source.sites:
        if isinstance(site.node, ast.ClassDef):
            for line, message in _messages(site.node, site, source):
                yield Flag("disguise", line, message)


def _messages(node: ast.ClassDef, site: FlaggedSite, source: Source) -> Iterator[tuple[int, str]]:
    for base in node.bases:
        path = source.path(base, site)
        if path in _TENSORS:
            yield node.lineno, f"derives `{node.name}` from `{path}`"
    for statement in node.body:
        for name in _defined(statement):
            if name in _ANSWERS:
                yield statement.lineno, f"defines `{name}`, by which a class can hide what it is"
        if isinstance(statement, ast.FunctionDef) and _always_the_same(statement):
            yield statement.lineno, f"defines `{statement.name}` so that it always gives the same"


def _defined(node: ast.stmt) -> list[str]:
    if isinstance(node, DEFINITIONS):
        return [node.name]
    targets = node.targets if isinstance(node, ast.Assign) else []
    return [target.id for target in targets if isinstance(target, ast.Name)]


def _always_the_same(function: ast.FunctionDef) -> bool:
    """Whether a comparison is one line: `return True`."""
    if function.name not in _COMPARISONS:
        return False
    last = function.body[-1]
    rest = function.body[:-1]
    is_alone = all(isinstance(statement, ast.Expr) for statement in rest)
    return is_alone and isinstance(last, ast.Return) and isinstance(last.value, ast.Constant)
