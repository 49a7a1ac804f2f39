"""Finds lines of the learner's files by frame, by traceback, and by attribute assignment."""

from __future__ import annotations

import ast
import inspect
import linecache
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, TypeVar

from grader.schema import Location

Runner = Callable[[Callable[[], Any]], Any]
Position = tuple[str, int]  # a file, as Python names it in frames, and a line
NOWHERE: Position = ("", 0)
POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
MOST_TEXT = 4_000
MOST_FILES = 200
_DEVICE = re.compile(r"(\b|_)device\b")  # and not `torch.autocast(device_type=...)`
T = TypeVar("T")
_FORGETTING: list[Callable[[], None]] = []
name_of_class = vars(type)["__name__"].__get__  # past a metaclass that overrides `__name__`


def defining_files(made: Any) -> set[tuple[str, str]]:
    """File and name of a class and its bases outside torch, where the file is known.

    Of a function that makes a module: its file, and no name.
    """
    if not isinstance(made, type):
        code = getattr(inspect.unwrap(made), "__code__", None)
        return {(code.co_filename, "")} if code else set()
    own = ((file_of(base), name_of_class(base)) for base in made.__mro__ if not is_torch(base))
    return {(file, readable(name)) for file, name in own if file}


def files_around(cls: type) -> set[str]:
    """The files of the same package, or folder, whose functions its file imports, also by others.

    A function there is as much the class's own code as a method is.
    """
    home = sys.modules.get(cls.__module__)
    waiting, found = [home] if home else [], set[str]()
    for module in waiting:  # grows as it goes
        file = str(getattr(module, "__file__", None) or "")
        if (
            file in found
            or len(found) == MOST_FILES
            or not (module is home or _is_beside(module, cls))
        ):
            continue
        found.add(file)
        for value in list(vars(module).values()):
            if isinstance(value, ModuleType):
                waiting.append(value)
            elif isinstance(value, FunctionType | type):
                waiting += filter(None, [sys.modules.get(str(value.__module__))])
    return found


def _is_beside(module: ModuleType, cls: type) -> bool:
    """Whether a module is of a class's package; of one without a package, in its folder."""
    root, _, is_part = cls.__module__.partition(".")
    if is_part:
        return module.__name__.partition(".")[0] == root
    file = str(getattr(module, "__file__", None) or "")
    return bool(file) and Path(file).parent == Path(file_of(cls) or ".").parent


def with_device(position: Position) -> Position:
    """The `with` that gives a line its device; the line itself, if it says so or none does."""
    file, line = position
    if "device" in linecache.getline(file, line):
        return position
    blocks = _device_blocks("".join(linecache.getlines(file)))
    return file, max((first for first, last in blocks if first < line <= last), default=line)


@lru_cache(maxsize=64)
def _device_blocks(text: str) -> tuple[tuple[int, int], ...]:
    """First and last line of each `with` in a file's text that names a device."""
    return tuple(
        (node.lineno, node.end_lineno or 0)
        for node in ast.walk(tree_of(text))
        if isinstance(node, ast.With)
        if any(_DEVICE.search(ast.unparse(item.context_expr)) for item in node.items)
    )


def readable(text: str) -> str:
    """`text`, cut to `MOST_TEXT` characters, with lone surrogates, which JSON lacks, replaced."""
    rest = len(text) - MOST_TEXT
    if rest > 0:
        text = f"{text[:MOST_TEXT]}… ({rest:,} more characters)"
    return str.encode(text, errors="replace").decode()


@dataclass(frozen=True)
class AttributeAssignment:
    """Where a class binds an attribute, and the value as source text."""

    line: int = 0
    value: str = ""
    file: str = ""

    def location(self, path: str) -> Location:
        """It, as evidence on what `path` leads to."""
        return Location(path, self.line, file=self.file)


def assignment_of(cls: type, attribute: str) -> AttributeAssignment:
    """The first place in `cls` that binds the attribute; line 0 if none is to be seen.

    A method's `self.name = …` comes before the class body's `name = …`. None is a placeholder: the
    first place that binds more than that counts.
    """
    for base in cls.__mro__:
        found = None if is_torch(base) else _assignments(base).get(attribute)
        if found:
            return found
    return AttributeAssignment()


def by_class(function: Callable[[type], T]) -> Callable[[type], T]:
    """`function`, which reads the source of a class, asked once for each."""
    remembered = lru_cache(maxsize=256)(function)
    _FORGETTING.append(remembered.cache_clear)
    return remembered


def forget_sources() -> None:
    """Read the sources of all classes again."""
    for forget in _FORGETTING:
        forget()


def source_text(cls: type) -> str:
    """The text of the file or notebook cell that `cls` was written in; `""` if it has none."""
    return "".join(linecache.getlines(file_of(cls)))


@lru_cache(maxsize=64)
def tree_of(text: str) -> ast.Module:
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ast.Module([], [])  # such as a notebook cell with a magic line


def class_tree(cls: type) -> ast.ClassDef | None:
    """The class statement that made `cls`, where its source can be read."""
    nodes = ast.walk(tree_of(source_text(cls)))
    named = [n for n in nodes if isinstance(n, ast.ClassDef) and n.name == cls.__name__]
    first = getattr(vars(cls).get("__init__"), "__code__", None)
    enclosing = [
        n for n in named if first and n.lineno <= first.co_firstlineno <= (n.end_lineno or 0)
    ]
    return next(iter(enclosing or named), None)


def rebinding_of(cls: type, attribute: str) -> AttributeAssignment:
    """The first place outside of `__init__` that binds that attribute; line 0 if there is none."""
    for base, method in methods_of(cls):
        bound = _bindings(method) if method.name != "__init__" else ()
        if line := next((line for name, line, _ in bound if name == attribute), 0):
            return AttributeAssignment(line, file=file_of(base))
    return AttributeAssignment()


def change_of(cls: type, attribute: str) -> AttributeAssignment:
    """Where the attribute is bound again, or else where it is bound."""
    again = rebinding_of(cls, attribute)
    return again if again.line else assignment_of(cls, attribute)


def methods_of(cls: type) -> Iterator[tuple[type, ast.FunctionDef]]:
    """The methods of a class and of its bases outside torch, as written, and whose each is."""
    for base in cls.__mro__:
        tree = None if is_torch(base) else class_tree(base)
        yield from ((base, m) for m in tree.body if isinstance(m, ast.FunctionDef)) if tree else ()


def is_torch(cls: type) -> bool:
    """Whether a class is PyTorch's or a builtin, by the module that it names."""
    return cls.__module__.split(".")[0] in ("torch", "builtins")


def file_of(cls: type) -> str:
    """The file that a class was written in, as Python names it; `""` if that is not known."""
    functions = [member for member in vars(cls).values() if isinstance(member, FunctionType)]
    # A wrapper that a decorator made, such as torch.no_grad's, belongs to the decorator's file.
    own = [function for function in functions if function.__module__ == cls.__module__]
    if own:
        return str(getattr(own[0], "__wrapped__", own[0]).__code__.co_filename)
    return str(getattr(sys.modules.get(cls.__module__), "__file__", None) or "")


@by_class
def _assignments(cls: type) -> dict[str, AttributeAssignment]:
    lines = linecache.getlines(file_of(cls))
    node = class_tree(cls)
    found: dict[str, AttributeAssignment] = {}
    bound = chain(_bindings(node), _class_body(node)) if node else ()
    for name, line, value in bound:
        text = _text_of(value, lines) if value else ""
        is_filled = name in found and found[name].value == "None" and text
        if name not in found or is_filled:
            found[name] = AttributeAssignment(line, text, file_of(cls))
    return found


def _text_of(node: ast.expr, lines: list[str]) -> str:
    """`ast.get_source_segment`, for lines that are split once and not for each node."""
    assert node.end_lineno is not None  # as after ast.parse
    own = [line.encode("utf-8") for line in lines[node.lineno - 1 : node.end_lineno]]
    own[-1] = own[-1][: node.end_col_offset]
    own[0] = own[0][node.col_offset :]
    return b"".join(own).decode("utf-8")


def _bindings(tree: ast.AST) -> Iterator[tuple[str, int, ast.expr | None]]:
    """Each `self.name = …`, `setattr(self, "name", …)` and `self.register_…("name", …)`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            yield from (
                (t.attr, t.lineno, node.value) for t in targets if isinstance(t, ast.Attribute)
            )
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr, node.lineno, None
        elif isinstance(node, ast.Call):
            yield from _registration(node)


def _class_body(node: ast.ClassDef) -> Iterator[tuple[str, int, ast.expr | None]]:
    """Each `name = …` of the class itself, but for constants, which hold no tensor."""
    for statement in node.body:
        if isinstance(statement, ast.Assign):
            targets, value = statement.targets, statement.value
        elif isinstance(statement, ast.AnnAssign) and statement.value:
            targets, value = [statement.target], statement.value
        else:
            continue
        if not isinstance(value, ast.Constant):
            yield from ((t.id, t.lineno, value) for t in targets if isinstance(t, ast.Name))


def _registration(call: ast.Call) -> Iterator[tuple[str, int, ast.expr | None]]:
    function: Any = call.func
    called = getattr(function, "attr", getattr(function, "id", ""))
    position = {"setattr": 1, "register_buffer": 0, "register_parameter": 0, "add_module": 0}
    arguments = call.args[position[called] :] if called in position else []
    if arguments and isinstance(arguments[0], ast.Constant):
        yield str(arguments[0].value), call.lineno, arguments[1] if len(arguments) > 1 else None
