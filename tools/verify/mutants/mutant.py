"""A changed answer, and the edits of source text that make it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class TreeEdit:
    """One piece of text in place of a node."""

    node: ast.AST
    text: str


@dataclass(frozen=True)
class TreeChange:
    """What one rule does in one place: usually a single edit.

    Attributes:
        rule: the name of the rule, such as `argument dropped`.
    """

    rule: str
    edits: tuple[TreeEdit, ...]


@dataclass(frozen=True)
class Mutant:
    """An answer with one change.

    Attributes:
        line: the line of the change; before, after: that line's text.
        source: the whole file.
        edit: the name of the method, and all lines before and after the change. Where two answers
            share a line, they have mutants with the same edit.
    """

    rule: str
    line: int
    before: str
    after: str
    source: str
    edit: tuple[str, ...]

    def __str__(self) -> str:
        """One line for a report."""
        return f"line {self.line}, {self.rule}: `{self.before}` -> `{self.after}`"


Changes = Iterator[TreeChange]


def change(rule: str, node: ast.AST, new: ast.AST | str) -> TreeChange:
    """The change that puts `new` in place of `node`."""
    return TreeChange(rule, (TreeEdit(node, new if isinstance(new, str) else source_of(new)),))


def source_of(node: ast.AST) -> str:
    """The node as text that may stand anywhere in an expression."""
    text = ast.unparse(ast.fix_missing_locations(node))
    is_simple = isinstance(node, ast.Name | ast.Attribute | ast.Call | ast.Constant | ast.Subscript)
    return text if is_simple or isinstance(node, ast.stmt | ast.slice | ast.Tuple) else f"({text})"


def applied(source: str, changed: TreeChange) -> str:
    """`source` with the edits; an edit of a statement keeps its indentation."""
    data = source.encode()
    starts = [0]
    for line in data.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    spans = sorted(
        (
            (starts[e.node.lineno - 1] + e.node.col_offset, e)  # type: ignore[attr-defined]
            for e in changed.edits
        ),
        key=lambda pair: pair[0],
        reverse=True,
    )
    for begin, edit in spans:
        node = edit.node
        end = starts[node.end_lineno - 1] + node.end_col_offset  # type: ignore[attr-defined]
        indent = " " * node.col_offset  # type: ignore[attr-defined]
        text = edit.text
        if isinstance(node, ast.stmt):
            text = text.replace("\n", "\n" + indent)
        data = data[:begin] + text.encode() + data[end:]
    return data.decode()
