"""Strings that a submission puts together from constants, worked out without running it."""

from __future__ import annotations

import ast

LONGEST = 100_000  # characters of a string that is put together


def folded(node: ast.AST, depth: int = 0) -> str | None:
    """The string that an expression of constants gives; None if it is anything else.

    Understands `"_ar" + "gs"`, `"sgra_"[::-1]`, `"".join(["_", "args"])`, `chr(95)`, f-strings of
    constants, `bytes([95, 97]).decode()`, and `lower`, `upper` and `strip`.
    """
    if depth > 50:
        return None
    if isinstance(node, ast.Constant):
        return _text(node.value)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = folded(node.left, depth + 1), folded(node.right, depth + 1)
        return None if left is None or right is None else (left + right)[:LONGEST]
    if isinstance(node, ast.JoinedStr):
        return _joined_text(node.values, "", depth)
    if isinstance(node, ast.FormattedValue):
        return folded(node.value, depth + 1)
    if isinstance(node, ast.Subscript) and ast.unparse(node.slice) == "::-1":
        text = folded(node.value, depth + 1)
        return None if text is None else text[::-1]
    return _call_result(node, depth) if isinstance(node, ast.Call) else None


def is_put_together(node: ast.AST) -> bool:
    """Whether a string was written in pieces although it never changes."""
    if isinstance(node, ast.Constant | ast.JoinedStr):
        return False
    return folded(node) is not None


def _text(value: object) -> str | None:
    if isinstance(value, str):
        return value
    return value.decode("latin-1") if isinstance(value, bytes) else None


def _joined_text(parts: list[ast.expr], separator: str, depth: int) -> str | None:
    texts = [folded(part, depth + 1) for part in parts]
    known = [text for text in texts if text is not None]
    return separator.join(known)[:LONGEST] if len(known) == len(texts) else None


def _call_result(node: ast.Call, depth: int) -> str | None:
    function = node.func
    if isinstance(function, ast.Name):
        return _bytes_text(function.id, node)
    if not isinstance(function, ast.Attribute):
        return None
    if function.attr == "join" and len(node.args) == 1:
        separator = folded(function.value, depth + 1)
        parts = node.args[0]
        if separator is not None and isinstance(parts, ast.List | ast.Tuple):
            return _joined_text(parts.elts, separator, depth)
    if function.attr in ("decode", "lower", "upper", "strip"):
        text = folded(function.value, depth + 1)
        return None if text is None else _text_method_result(text, function.attr)
    return None


def _text_method_result(text: str, method: str) -> str:
    if method == "lower":
        return text.lower()
    if method == "upper":
        return text.upper()
    return text.strip() if method == "strip" else text


def _bytes_text(name: str, node: ast.Call) -> str | None:
    """`chr(95)`, and the text of `bytes([95, 97])`."""
    if len(node.args) != 1:
        return None
    (argument,) = node.args
    if name == "chr":
        numbers = numbers_of(ast.List([argument]))
    elif name in ("bytes", "bytearray"):
        numbers = numbers_of(argument)
    else:
        return None
    return "".join(map(chr, numbers)) if numbers else None


def numbers_of(node: ast.AST) -> list[int]:
    """The numbers of a list or tuple, if all could be characters."""
    if not isinstance(node, ast.List | ast.Tuple):
        return []
    values = [element.value for element in node.elts if isinstance(element, ast.Constant)]
    numbers = [value for value in values if type(value) is int and 0 < value < 0x110000]
    return numbers if len(numbers) == len(node.elts) else []
