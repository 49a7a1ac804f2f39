"""A learner's file as text and as a syntax tree: which statement stands where, and what is known
of it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from grader.judge.report import Edit

Span = tuple[int, int]
Function = ast.FunctionDef | ast.AsyncFunctionDef
_COMPOUND = (ast.If, ast.For, ast.While, ast.With, ast.Try, ast.Match, ast.AsyncFor, ast.AsyncWith)


@dataclass(frozen=True)
class Place:
    """A statement, and the function and class around it."""

    statement: ast.stmt
    function: Function | None
    owner: ast.ClassDef | None


class SourceFile:
    """The file of a learner, which is parsed when it is first asked about.

    Attributes:
        lines: its text, line by line.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines = text.splitlines()

    @cached_property
    def tree(self) -> ast.Module:
        """Its syntax tree; an empty module where it cannot be parsed.

        That is so for a notebook's cell with a magic command.
        """
        try:
            return ast.parse(self.text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return ast.Module([], [])

    @cached_property
    def _places(self) -> list[Place]:
        return list(_places(self.tree.body, None, None))

    def line(self, number: int) -> str:
        """The text of a line without its indentation; `""` if there is no such line."""
        return self.lines[number - 1].strip() if 0 < number <= len(self.lines) else ""

    def place(self, line: int) -> Place | None:
        """The innermost statement that `line` belongs to; of a compound one, the head counts."""
        holding = [
            each for each in self._places if each.statement.lineno <= line <= _last_line(each)
        ]
        return holding[-1] if holding else None

    def places(self, within: ast.AST | None = None) -> Iterator[Place]:
        """Every statement, or those in `within`."""
        nodes = {id(node) for node in ast.walk(within)} if within else None
        yield from (p for p in self._places if nodes is None or id(p.statement) in nodes)

    def segment(self, node: ast.AST) -> str:
        """The text of a node."""
        return ast.get_source_segment(self.text, node) or ""

    def replaced(self, place: Place, changes: Iterable[tuple[Span, str]]) -> Edit:
        """The edit that puts a text in the place of each of some spans of one statement."""
        statement = place.statement
        start = self._offset(statement.lineno, statement.col_offset)
        before = self._head(statement)
        after = before.encode()
        for (begin, end), text in sorted(changes, reverse=True):
            after = after[: begin - start] + text.encode() + after[end - start :]
        return Edit(statement.lineno, before, after.decode())

    def rewritten(self, place: Place, after: str) -> Edit:
        """The edit that puts `after` in the place of a simple statement."""
        return Edit(place.statement.lineno, self._head(place.statement), after)

    def name_of(self, module: str) -> str:
        """How this file calls `torch.nn`, say: `nn` after `from torch import nn`."""
        parent, _, last = module.rpartition(".")
        for node in ast.walk(self.tree):
            if isinstance(node, ast.ImportFrom) and node.module == parent:
                found = [each.asname or last for each in node.names if each.name == last]
            elif isinstance(node, ast.Import):
                found = [each.asname for each in node.names if each.name == module and each.asname]
            else:
                continue
            if found:
                return found[0]
        return module

    def chain(self, name: str) -> list[ast.ClassDef]:
        """The class called `name` and its bases, as far as this file defines them."""
        defined = {n.name: n for n in ast.walk(self.tree) if isinstance(n, ast.ClassDef)}
        found: list[ast.ClassDef] = []
        waiting = [name]
        while waiting:
            node = defined.get(waiting.pop(0))
            if node is not None and node not in found:
                found.append(node)
                waiting += [base.id for base in node.bases if isinstance(base, ast.Name)]
        return found

    def _head(self, statement: ast.stmt) -> str:
        if isinstance(statement, _COMPOUND):
            first = (
                statement.body[0] if not isinstance(statement, ast.Match) else statement.cases[0]
            )
            lines = self.lines[statement.lineno - 1 : _line_of(first) - 1]
            return "\n".join(lines).strip() if lines else self.segment(statement)
        return self.segment(statement)

    def span(self, node: ast.AST) -> Span:
        """Where a node begins and ends, in bytes of the file."""
        begin = self._offset(node.lineno, node.col_offset)  # type: ignore[attr-defined]
        end = self._offset(node.end_lineno, node.end_col_offset)  # type: ignore[attr-defined]
        return begin, end

    def _offset(self, line: int, column: int) -> int:
        """The bytes before a place, of which `ast` counts the columns in bytes too."""
        return sum(len(each.encode()) + 1 for each in self.lines[: line - 1]) + column


def is_block(statement: ast.stmt) -> bool:
    """Whether other statements stand in it."""
    return isinstance(statement, ast.FunctionDef | ast.ClassDef) or bool(
        getattr(statement, "body", None)
    )


def applied(source: str, edits: Iterable[Edit]) -> str:
    """`source` with the edits made: what a learner would do with what a fix prints.

    Raises:
        ValueError: the file does not hold what an edit replaces.
    """
    for edit in sorted(edits, key=lambda edit: edit.line, reverse=True):
        lines = source.split("\n")
        start = sum(len(each) + 1 for each in lines[: edit.line - 1])
        begin = source.find(edit.before, start)
        if not start <= begin <= start + len(lines[edit.line - 1]):
            raise ValueError(f"line {edit.line} is not `{edit.before}`")
        indent = " " * (begin - start)
        after = edit.after.replace("\n", f"\n{indent}") if "\n" not in edit.before else edit.after
        source = source[:begin] + after + source[begin + len(edit.before) :]
    return source


def _places(
    body: list[ast.stmt], function: Function | None, owner: ast.ClassDef | None
) -> Iterator[Place]:
    for statement in body:
        yield Place(statement, function, owner)
        if isinstance(statement, ast.ClassDef):
            yield from _places(statement.body, None, statement)
        elif isinstance(statement, Function):
            yield from _places(statement.body, statement, owner)
        else:
            for block in _blocks(statement):
                yield from _places(block, function, owner)


def _blocks(statement: ast.stmt) -> Iterator[list[ast.stmt]]:
    for name in ("body", "orelse", "finalbody"):
        yield getattr(statement, name, [])
    for part in (*getattr(statement, "handlers", ()), *getattr(statement, "cases", ())):
        yield part.body


def _last_line(place: Place) -> int:
    return place.statement.end_lineno or place.statement.lineno


def _line_of(node: ast.AST) -> int:
    return int(getattr(node, "lineno", 0) or getattr(getattr(node, "pattern", None), "lineno", 0))
