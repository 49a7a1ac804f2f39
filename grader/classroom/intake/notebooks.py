"""From a notebook to a script: the cell that defines the class, and what it needs of the others.

A notebook is full of code that only tries things out, fails on purpose or trains for an hour. So
of the cells up to the class only those statements are kept that bind a name which the class uses,
directly or through another. The class keeps the lines that it has in its cell.
"""

from __future__ import annotations

import ast
import json
import re
import symtable
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from grader.classroom.intake.documents import UnreadableError
from grader.course import joined, starter_of
from grader.schema import Evidence, Rubric

MARK = "# %% cell "
_EXPORTED = re.compile(r"^# In\[[\d ]*\]:", re.MULTILINE)  # by Jupyter, above each cell
_MAGIC = re.compile(r"^\s*(?:[%!?]|[\w.]+\?+\s*$|\w+\s*=\s*[%!])")
_KEEPS_ITS_CELL = re.compile(r"%%(?:capture|prun|time|timeit)\b")


@dataclass(frozen=True)
class Cell:
    """A code cell, with its number as a person counts."""

    number: int
    source: str


def code_cells(content: bytes) -> tuple[Cell, ...]:
    """The code cells of a notebook, without magics.

    Raises:
        UnreadableError: it is not a notebook.
    """
    try:
        cells = json.loads(content)["cells"]
    except (ValueError, RecursionError) as error:
        raise UnreadableError(f"is not a notebook that can be read: as JSON, {error}") from None
    except (LookupError, TypeError):
        raise UnreadableError("is not a notebook that can be read: it has no cells") from None
    try:
        code = [cell["source"] for cell in cells if cell["cell_type"] == "code"]
        texts = [source if isinstance(source, str) else "".join(source) for source in code]
    except (LookupError, TypeError):
        why = "a cell has no type or no source"
        raise UnreadableError(f"is not a notebook that can be read: {why}") from None
    return tuple(Cell(i, _without_magics(text)) for i, text in enumerate(texts, start=1))


def script(cells: tuple[Cell, ...], rubric: Rubric) -> str:
    """What of a notebook is graded: the class, and what it needs.

    Where the class is not there or cannot be parsed, that is for the grader to say: then it is
    the whole notebook or the cell as it is.
    """
    defining = [cell for cell in cells if _defines(cell, rubric.class_name)]
    if not defining:
        return "\n\n".join(cell.source for cell in cells)
    last = defining[-1]
    tree = _tree_of(last.source)
    if tree is None:
        return last.source
    before = [_tree_of(cell.source) for cell in cells if cell.number < last.number]
    body = [node for script in (*before, tree) if script for node in script.body]
    kept = _needed(body, rubric.class_name)
    if _says_the_same(kept, rubric):
        return starter_of(rubric)
    earlier = "\n".join(ast.unparse(node) for node in kept if node not in tree.body)
    return f"{earlier}\n{MARK}{last.number}\n{_only(last.source, tree, kept)}\n".lstrip("\n")


def is_export(source: str) -> bool:
    """Whether Jupyter made a Python file of a notebook.

    It cannot be run outside of Jupyter, since its magics are calls of `get_ipython`.
    """
    tree = _tree_of(source)
    is_marked = bool(_EXPORTED.search(source))
    return is_marked or (tree is not None and any(map(_is_magic, tree.body)))


def without_experiments(source: str, rubric: Rubric) -> str:
    """What is graded of a Python file: all of it, or of a notebook's export what `script` keeps."""
    tree = _tree_of(source)
    if tree is None or not is_export(source):
        return source
    defined = [node.lineno for node in tree.body if rubric.class_name in _bound(node)]
    if not defined:
        return source
    end = _EXPORTED.search(source, sum(map(len, source.splitlines(True)[: defined[-1]])))
    last = source.count("\n", 0, end.start()) if end else len(source)
    body = [node for node in tree.body if node.lineno <= last and not _is_magic(node)]
    kept = _needed(body, rubric.class_name)
    return starter_of(rubric) if _says_the_same(kept, rubric) else _only(source, tree, kept)


def _is_magic(node: ast.stmt) -> bool:
    """Whether a statement is what Jupyter makes of `%pip install x` or `files = !ls`."""
    names = (inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name))
    return isinstance(node, ast.Expr | ast.Assign) and "get_ipython" in names


@dataclass(frozen=True)
class Place:
    """Where a class stands: in which cell, and after how many lines of its script."""

    number: int
    lines_before: int


def place_of_class(path: Path) -> Place | None:
    """Where the class of a script stands; None if it is not marked there."""
    with suppress(OSError):
        for i, line in enumerate(path.read_bytes().split(b"\n"), start=1):
            number = line.removeprefix(MARK.encode())
            if number != line and number.isdigit():
                return Place(int(number), i)
    return None


def with_cell_lines(evidence: Evidence, before: int) -> Evidence:
    """The same evidence, with lines as in the cell; those of other cells are unknown."""

    def changed(value: Any, key: str = "") -> Any:
        if isinstance(value, dict):
            return {key: changed(part, key) for key, part in value.items()}
        if isinstance(value, list | tuple):
            return [changed(part) for part in value]
        return max(0, value - before) if key in ("line", "moved_line") else value

    return msgspec.convert(changed(msgspec.to_builtins(evidence)), Evidence)


def _without_magics(source: str) -> str:
    """A cell that Python can read, with its lines where they were."""
    if source.lstrip().startswith("%%"):
        first, _, rest = source.lstrip().partition("\n")
        source = f"\n{rest}" if _KEEPS_ITS_CELL.match(first) else ""
    if _tree_of(source) is not None:
        return source
    return "\n".join(_no_magic(line) for line in source.split("\n"))


def _no_magic(line: str) -> str:
    """A line, or as much of nothing as keeps its block whole."""
    indent = line[: len(line) - len(line.lstrip())]
    return f"{indent}pass" if _MAGIC.match(line) else line


def _tree_of(source: str) -> ast.Module | None:
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _defines(cell: Cell, class_name: str) -> bool:
    return bool(re.search(rf"^class\s+{class_name}\b", cell.source, re.MULTILINE))


def _needed(body: list[ast.stmt], class_name: str) -> list[ast.stmt]:
    """The statements that bind the class or a name it uses, directly or through another."""
    names, kept, grew = {class_name}, set[int](), True
    while grew:
        grew = False
        for i, node in enumerate(body):
            if i not in kept and not names.isdisjoint(_bound(node)):
                kept.add(i)
                names |= _names_used(node)
                grew = True
    return [node for i, node in enumerate(body) if i in kept or _binds_unseen(node)]


def _names_used(node: ast.stmt) -> set[str]:
    """The notebook's names that a statement uses; what a method calls its own is none of them."""
    try:
        return set(_globals_in(symtable.symtable(ast.unparse(node), "cell", "exec")))
    except (SyntaxError, ValueError, RecursionError):
        return {name.id for name in ast.walk(node) if isinstance(name, ast.Name)}


def _globals_in(scope: symtable.SymbolTable) -> Iterator[str]:
    is_outermost = scope.get_type() == "module"
    for symbol in scope.get_symbols():
        if symbol.is_referenced() and (is_outermost or symbol.is_global()):
            yield symbol.get_name()
    for inner in scope.get_children():
        yield from _globals_in(inner)


def _bound(node: ast.AST) -> Iterator[str]:
    """The names that a statement binds; `a.b = c` and `a[b] = c` bind `a` anew."""
    if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
        yield node.name  # what is bound inside stays inside
        return
    if isinstance(node, ast.alias):
        yield (node.asname or node.name).split(".")[0]
    elif isinstance(getattr(node, "ctx", None), ast.Store):
        yield from _root(node)
    for child in ast.iter_child_nodes(node):
        yield from _bound(child)


def _root(node: ast.AST) -> Iterator[str]:
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    if isinstance(node, ast.Name):
        yield node.id


def _binds_unseen(node: ast.stmt) -> bool:
    """Whether it may change what every other line means."""
    if not isinstance(node, ast.ImportFrom):
        return False
    return node.module == "__future__" or any(alias.name == "*" for alias in node.names)


def _says_the_same(kept: list[ast.stmt], rubric: Rubric) -> bool:
    """Whether nothing was changed in what the starter gives."""
    given = _needed(ast.parse(starter_of(rubric)).body, rubric.class_name)
    return {ast.dump(node) for node in joined(kept)} == {ast.dump(node) for node in given}


def _only(source: str, tree: ast.Module, kept: list[ast.stmt]) -> str:
    """A cell with every other statement blanked out."""
    shown = {line for node in kept if node in tree.body for line in _lines(node)}
    hidden = {line for node in tree.body for line in _lines(node)} - shown
    lines = enumerate(source.split("\n"), start=1)
    return "\n".join("" if number in hidden else line for number, line in lines)


def _lines(node: ast.stmt) -> range:
    first = min(
        [node.lineno, *(decorator.lineno for decorator in getattr(node, "decorator_list", ()))]
    )
    return range(first, (node.end_lineno or first) + 1)
