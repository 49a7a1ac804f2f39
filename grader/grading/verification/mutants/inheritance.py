"""Which of a base class's methods a class runs, and which it overrides."""

from __future__ import annotations

import ast
from collections.abc import Iterator

Definition = ast.ClassDef | ast.FunctionDef


def runs(name: str, definition: Definition, method: str, defined: dict[str, Definition]) -> bool:
    """False if the class overrides that method of `definition`, and does not call `super()` there.

    Args:
        name: of the class.
        definition: a class or function of the same file.
        method: the name of one of its methods, `""` for the class's own body.
        defined: all classes and functions of the file.
    """
    line = list(_line_of(name, defined))
    if definition not in line:
        return True  # a function, or a class that is no base class of this one
    return all(_passes_on(ancestor, method) for ancestor in line[: line.index(definition)])


def _line_of(name: str, defined: dict[str, Definition]) -> Iterator[Definition]:
    """The class and its base classes, nearest first."""
    cls = defined.get(name)
    if isinstance(cls, ast.ClassDef):
        yield cls
        for base in cls.bases:
            if isinstance(base, ast.Name):
                yield from _line_of(base.id, defined)


def _passes_on(cls: Definition, method: str) -> bool:
    functions = (statement for statement in cls.body if isinstance(statement, ast.FunctionDef))
    return all(
        any(isinstance(node, ast.Name) and node.id == "super" for node in ast.walk(function))
        for function in functions
        if function.name == method
    )
