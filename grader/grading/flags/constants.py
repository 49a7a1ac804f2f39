"""Strings that a submission puts together from constants, worked out without running it."""

from __future__ import annotations

import ast

LONGEST = 100_000  # characters of a string that is put together


def folded(node: ast.AST, depth: int = 0) -> str | None:
    """The string that an expression of constants gives; None if it is anything else.

    Understands `"_ar" + "gs"`, `"sgra_"[::-1]` and f-strings of constants. Whoever hides a name
    better can register a buffer.
    """
    if depth > 50:
        return None
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = folded(node.left, depth + 1), folded(node.right, depth + 1)
        return None if left is None or right is None else (left + right)[:LONGEST]
    if isinstance(node, ast.JoinedStr):
        texts = [folded(part, depth + 1) for part in node.values]
        known = [text for text in texts if text is not None]
        return "".join(known)[:LONGEST] if len(known) == len(texts) else None
    if isinstance(node, ast.FormattedValue):
        return folded(node.value, depth + 1)
    if isinstance(node, ast.Subscript) and ast.unparse(node.slice) == "::-1":
        text = folded(node.value, depth + 1)
        return None if text is None else text[::-1]
    return None


def is_put_together(node: ast.AST) -> bool:
    """Whether a string was written in pieces although it never changes."""
    if isinstance(node, ast.Constant | ast.JoinedStr):
        return False
    return folded(node) is not None
