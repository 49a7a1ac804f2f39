"""Finds the learner's line that replaced a name which the probe depends on, for the report."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from grader.loading import LoadingError, parse, read_source


def binding_line(name: str, files: Iterable[str]) -> int:
    """The line that binds `name`, such as `torch.equal`, in one of `files`; 0 if none is seen."""
    last = name.rpartition(".")[2]
    for file in sorted(files):
        with suppress(LoadingError, RecursionError, MemoryError):
            for line in _bindings(parse(read_source(Path(file)), Path(file)), last):
                return line
    return 0


def _bindings(tree: ast.AST, name: str) -> Iterator[int]:
    for node in ast.walk(tree):
        is_bound = isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store | ast.Del)
        if is_bound and node.attr == name:  # type: ignore[attr-defined]
            yield node.lineno  # type: ignore[attr-defined]
        arguments = tuple(node.args) if isinstance(node, ast.Call) else ()
        if isinstance(node, ast.Subscript):
            arguments = (node.slice,)
        if any(_is_text(argument, name) for argument in arguments):
            yield node.lineno  # type: ignore[attr-defined]


def _is_text(node: ast.expr, text: str) -> bool:
    return isinstance(node, ast.Constant) and node.value == text
