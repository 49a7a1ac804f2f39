"""A learner's file as text and as a syntax tree: finds statements by line, and makes edits.

`ast` counts columns in bytes of UTF-8, so all spans here are offsets in bytes.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from grader.schema import Edit

Span = tuple[int, int]
Function = ast.FunctionDef | ast.AsyncFunctionDef
_LINE_START = re.compile(r"\n(?!\n)")  # of a line that is not empty
_COMPOUND = (ast.If, ast.For, ast.While, ast.With, ast.Try, ast.Match, ast.AsyncFor, ast.AsyncWith)


@dataclass(frozen=True)
class CodeSite:
    """A statement, and the function and class around it."""

    statement: ast.stmt
    function: Function | None
    owner: ast.ClassDef | None

    @property
    def head(self) -> ast.AST:
        """What a compound statement asks, loops over or enters; another statement itself."""
        if isinstance(self.statement, ast.With | ast.AsyncWith):
            return ast.Tuple([item.context_expr for item in self.statement.items], ast.Load())
        for name in ("test", "iter"):
            if isinstance(part := getattr(self.statement, name, None), ast.AST):
                return part
        return self.statement


class SourceFile:
    """The file of a learner, parsed at the first question about it.

    Attributes:
        name: as it should be printed; `""` if it goes without saying.
    """

    def __init__(self, text: str, name: str = "") -> None:
        self.text = text
        self.name = name

    @cached_property
    def lines(self) -> list[str]:
        """Its text, line by line, as Python counts them: `str.splitlines` splits at a form feed."""
        return self.text.split("\n")

    @cached_property
    def _encoded(self) -> list[bytes]:
        return self.text.encode().splitlines(keepends=True)

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
    def _sites(self) -> list[CodeSite]:
        return list(_sites(self.tree.body, None, None))

    def line(self, number: int) -> str:
        """The text of a line without its indentation; `""` if there is no such line."""
        return self.lines[number - 1].strip() if 0 < number <= len(self.lines) else ""

    def site(self, line: int) -> CodeSite | None:
        """The innermost statement that `line` belongs to; of a compound one, the head counts."""
        enclosing = [
            site for site in self._sites if site.statement.lineno <= line <= _last_line(site)
        ]
        return enclosing[-1] if enclosing else None

    def node(self, span: tuple[int, int, int, int] | None) -> ast.expr | None:
        """The expression at a span, as a probe saw it run."""
        for node in ast.walk(self.tree) if span else ():
            if isinstance(node, ast.expr) and span == (
                node.lineno, node.col_offset, node.end_lineno, node.end_col_offset
            ):  # fmt: skip
                return node
        return None

    def sites(self, within: ast.AST | None = None) -> Iterator[CodeSite]:
        """Every statement, or those in `within`."""
        nodes = {id(node) for node in ast.walk(within)} if within else None
        yield from (p for p in self._sites if nodes is None or id(p.statement) in nodes)

    def segment(self, node: ast.AST) -> str:
        """The text of a node. `ast.get_source_segment` would split the whole file each time."""
        first, last = node.lineno, node.end_lineno  # type: ignore[attr-defined]
        found = self._encoded[first - 1 : last]
        found[-1] = found[-1][: node.end_col_offset]  # type: ignore[attr-defined]
        found[0] = found[0][node.col_offset :]  # type: ignore[attr-defined]
        return b"".join(found).decode()

    def replaced(self, node: ast.AST, changes: Iterable[tuple[Span, str]]) -> str:
        """The text of a node with spans in it replaced; they must not overlap."""
        return _spliced(self.segment(node), self.span(node)[0], changes)

    def edit_spans(self, site: CodeSite, changes: Iterable[tuple[Span, str]]) -> Edit:
        """The edit that replaces spans of one statement.

        Args:
            site: the statement; of a compound one, only the head can change.
            changes: spans in bytes of the file, each with its new text; they must not overlap.
        """
        statement = site.statement
        start = self._offset(statement.lineno, statement.col_offset)
        before = self._head(statement)
        return Edit(statement.lineno, before, _spliced(before, start, changes))

    def edit_statement(self, site: CodeSite, *after: str) -> Edit:
        """The edit that puts others in the place of a simple statement."""
        before = self._head(site.statement)
        return Edit(site.statement.lineno, before, _joined(site.statement, before, *after))

    def added_before(self, line: int, text: str) -> Edit:
        """The edit that adds lines before the line by that number, indented as that is."""
        first = self.line(line)
        return Edit(line, first, f"{text}\n{first}")

    def name_of(self, module: str) -> str:
        """The file's name for a module: `nn` for `torch.nn` after `from torch import nn`."""
        parent, _, last = module.rpartition(".")
        for node in ast.walk(self.tree):
            if isinstance(node, ast.ImportFrom) and node.module == parent:
                found = [alias.asname or last for alias in node.names if alias.name == last]
            elif isinstance(node, ast.Import):
                found = [
                    alias.asname for alias in node.names if alias.name == module and alias.asname
                ]
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
        """The offset in bytes of a line (from 1) and a column (in bytes, from 0)."""
        return sum(map(len, self._encoded[: line - 1])) + column


class Sources:
    """The files that a module is written in.

    Args:
        own: the file under audit, which holds every line whose file is not among the others.
        others: files by their names in evidence.
    """

    def __init__(self, own: SourceFile, others: Mapping[str, SourceFile] | None = None) -> None:
        self.own = own
        self.others = others or {}

    def file(self, name: str) -> SourceFile:
        return self.others.get(name, self.own)


def _spliced(text: str, start: int, changes: Iterable[tuple[Span, str]]) -> str:
    """A text that begins at byte `start` of the file, with spans in it replaced."""
    new = text.encode()
    # From the last span to the first, so that earlier offsets stay valid.
    for (begin, end), replacement in sorted(changes, reverse=True):
        new = new[: begin - start] + replacement.encode() + new[end - start :]
    return new.decode()


def _joined(statement: ast.stmt, before: str, *after: str) -> str:
    """Statements under each other; `placed` indents them if they replace a single line."""
    indent = " " * statement.col_offset if "\n" in before else ""
    return f"\n{indent}".join(after)


def is_block(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.FunctionDef | ast.ClassDef) or bool(
        getattr(statement, "body", None)
    )


def apply_edits(source: str, edits: Iterable[Edit]) -> str:
    """`source` with the edits made: what a learner would do with what a fix prints.

    Raises:
        ValueError: the file does not hold what an edit replaces.
    """
    # From the last line to the first, so that the numbers of earlier lines stay valid.
    for edit in sorted(edits, key=lambda edit: edit.line, reverse=True):
        begin, after = placed(source, edit)
        source = source[:begin] + after + source[begin + len(edit.before) :]
    return source


def are_apart(mine: Iterable[Edit], others: Iterable[Edit]) -> bool:
    """Whether two fixes change no line that the other changes."""
    taken = {line for edit in others for line in _lines(edit)}
    return not any(line in taken for edit in mine for line in _lines(edit))


def _lines(edit: Edit) -> range:
    return range(edit.line, edit.line + edit.before.count("\n") + 1)


def placed(source: str, edit: Edit) -> tuple[int, str]:
    """At which character an edit begins, and what to write there, indented as the line is.

    Raises:
        ValueError: the file does not hold what it replaces.
    """
    lines = source.split("\n")
    start = sum(len(text) + 1 for text in lines[: edit.line - 1])
    begin = source.find(edit.before, start)
    if edit.line > len(lines) or not start <= begin <= start + len(lines[edit.line - 1]):
        raise ValueError(f"line {edit.line} is not `{edit.before}`")
    if "\n" in edit.before:
        return begin, edit.after
    return begin, _LINE_START.sub("\n" + " " * (begin - start), edit.after)


def _sites(
    body: list[ast.stmt], function: Function | None, owner: ast.ClassDef | None
) -> Iterator[CodeSite]:
    for statement in body:
        yield CodeSite(statement, function, owner)
        if isinstance(statement, ast.ClassDef):
            yield from _sites(statement.body, None, statement)
        elif isinstance(statement, Function):
            yield from _sites(statement.body, statement, owner)
        else:
            for block in _blocks(statement):
                yield from _sites(block, function, owner)


def _blocks(statement: ast.stmt) -> Iterator[list[ast.stmt]]:
    for name in ("body", "orelse", "finalbody"):
        yield getattr(statement, name, [])
    for part in (*getattr(statement, "handlers", ()), *getattr(statement, "cases", ())):
        yield part.body


def _last_line(site: CodeSite) -> int:
    return site.statement.end_lineno or site.statement.lineno


def _line_of(node: ast.AST) -> int:
    return int(getattr(node, "lineno", 0) or getattr(getattr(node, "pattern", None), "lineno", 0))
