"""Whether the learner's code may catch what the operation under way raises."""

from __future__ import annotations

import ast
import linecache
import sys
from functools import lru_cache
from types import FrameType


def is_in_a_try(files: set[str]) -> bool:
    """Whether a running frame in one of `files` is in a block whose exceptions are caught."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        file = frame.f_code.co_filename
        if file in files and frame.f_lineno in _caught_lines(file):
            return True
        frame = frame.f_back
    return False


@lru_cache(maxsize=64)
def _caught_lines(file: str) -> frozenset[int]:
    """The lines in the body of a `try` with an `except`, or of `with suppress(...)`."""
    try:
        tree = ast.parse("".join(linecache.getlines(file)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return frozenset()  # such as a notebook cell with a magic line
    bodies = (node.body for node in ast.walk(tree) if _catches(node))
    statements = (statement for body in bodies for statement in body)
    return frozenset(
        line for s in statements for line in range(s.lineno, (s.end_lineno or s.lineno) + 1)
    )


def _catches(node: ast.AST) -> bool:
    if isinstance(node, ast.Try | ast.TryStar):
        return bool(node.handlers)
    return isinstance(node, ast.With) and any(
        "suppress" in ast.unparse(item.context_expr) for item in node.items
    )
