"""Finds the class a learner wrote, or says in plain words why it cannot."""

from __future__ import annotations

import ast
import codecs
import importlib
import io
import linecache
import stat
import sys
import tokenize
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import Any

from grader.errors import GraderError

MOST_BYTES = 10_000_000
MOST_QUOTED = 200  # characters of a line

_executed: set[str] = set()


KINDS: tuple[tuple[Callable[[int], bool], str], ...] = (
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


class LoadingError(GraderError):
    """There is no class to grade. The message says what happened, where, and what to do next."""

    def __init__(self, message: str, line: int = 0) -> None:
        super().__init__(message)
        self.line = line


def read_source(path: Path) -> str:
    """The text of a Python file.

    Raises:
        LoadingError: it does not exist, is no ordinary file, is too large, is empty or is not text.
    """
    try:
        _require_ordinary(path)
        with path.open("rb") as file:
            source = decoded(file.read(MOST_BYTES))
    except FileNotFoundError:
        raise LoadingError(f"{path} does not exist. Is the name right, and the folder?") from None
    except PermissionError:
        raise LoadingError(f"{path} may not be read. Check its permissions.") from None
    except (UnicodeError, SyntaxError, LookupError) as error:  # such as `coding: rot13`
        raise LoadingError(
            f"{path} is not UTF-8 text ({error}). Save it as UTF-8, or name its encoding in the "
            "first line: `# -*- coding: latin-1 -*-`."
        ) from None
    except OSError as error:
        raise LoadingError(f"{path} cannot be read: {error.strerror or error}.") from None
    except ValueError as error:  # a NUL in the path
        raise LoadingError(f"{str(path)!r} cannot be read: {error}.") from None
    if not source.strip():
        raise LoadingError(
            f"{path} is empty. Is it saved? `grader reset` brings an exercise's starter back."
        )
    return source


def decoded(content: bytes) -> str:
    """The text of a Python file: in the encoding that it names, or in UTF-16 with its mark.

    Raises:
        UnicodeError, SyntaxError, LookupError: it is not text, or its encoding is unknown.
    """
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):  # Notepad's "Unicode"
        encoding = "utf-16"
    else:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(content).readline)
    return io.TextIOWrapper(io.BytesIO(content), encoding).read()


def own_modules(source: str, files_of: Callable[[str], Mapping[str, bytes]]) -> dict[str, bytes]:
    """The learner's own files that an answer imports, itself or through one of them.

    Args:
        source: the answer's text.
        files_of: the files next to it of a module or package of a name, by their paths from there.
    """
    found: dict[str, bytes] = {}
    waiting = [source]
    while waiting:
        for name in _imported(waiting.pop()):
            for file, content in files_of(name).items():
                if file not in found:
                    found[file] = content
                    with suppress(UnicodeError, SyntaxError, LookupError):
                        waiting.append(decoded(content))
    return found


def modules_beside(path: Path) -> Callable[[str], dict[str, bytes]]:
    """What `own_modules` asks for, of a file on the disk."""

    def files_of(name: str) -> dict[str, bytes]:
        files = [path.with_name(f"{name}.py"), *sorted(path.with_name(name).rglob("*.py"))]
        with suppress(OSError):
            return {
                file.relative_to(path.parent).as_posix(): file.read_bytes()
                for file in files
                if file.is_file() and file.stat().st_size <= MOST_BYTES
            }
        return {}

    return files_of


def _imported(source: str) -> Iterator[str]:
    """The names before the first dot of the modules that a text imports."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.partition(".")[0]
        elif isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
            name = str(node.args[0].value).partition(".")[0]
            if name.isidentifier() and ast.unparse(node.func).endswith("import_module"):
                yield name


def _require_ordinary(path: Path) -> None:
    """Check before opening: that may wait for ever, and a device has no end.

    Raises:
        OSError: it cannot be looked at.
        LoadingError: it is no ordinary file, or too large.
    """
    status = path.stat()
    if stat.S_ISDIR(status.st_mode):
        raise LoadingError(f"{path} is a directory. Name a Python file in it.")
    if not stat.S_ISREG(status.st_mode):
        kind = next((word for test, word in KINDS if test(status.st_mode)), "something else")
        raise LoadingError(f"{path} is {kind}, not an ordinary file. Name a Python file.")
    if status.st_size > MOST_BYTES:
        raise LoadingError(
            f"{path} is too large: {status.st_size / 1e6:.0f} MB, and {MOST_BYTES / 1e6:.0f} MB is "
            "the most. Is that your answer? Data does not belong into a Python file."
        )


def parse(source: str, path: Path) -> ast.Module:
    """The syntax tree.

    Raises:
        LoadingError: a syntax error, with its line.
    """
    try:
        return ast.parse(source, filename=str(path))
    except SyntaxError as error:
        if not error.lineno:  # Python 3.11 has no line for a NUL byte
            raise LoadingError(f"{path} is not Python source: {error.msg}.") from None
        text = (error.text or "").strip()
        text = text if len(text) <= MOST_QUOTED else f"{text[:MOST_QUOTED]}…"
        raise LoadingError(
            f"{path}, line {error.lineno}: Python cannot read this line ({error.msg}): `{text}`. "
            "Fix the syntax first; nothing was graded.",
            error.lineno,
        ) from None
    except ValueError as error:
        raise LoadingError(f"{path} is not Python source: {error}.") from None
    except (RecursionError, MemoryError):  # Python's parser says it with either
        raise LoadingError(
            f"{path} is nested too deeply for Python to read: thousands of brackets, operators or "
            "dots in one expression. Take it apart; nothing was graded."
        ) from None


def classes_in(tree: ast.Module) -> tuple[str, ...]:
    """The names of the classes written at its top level, in order."""
    return tuple(node.name for node in tree.body if isinstance(node, ast.ClassDef))


def require_class(tree: ast.Module, class_name: str, path: Path) -> None:
    """Check that the class may be there before running anything.

    Raises:
        LoadingError: nothing in the file binds that name.
    """
    bound = (name for node in ast.walk(tree) for name in _names_bound_by(node))
    if any(name in (class_name, "*") for name in bound):
        return
    raise LoadingError(
        f"{path} does not define {class_name}. " + _instead(classes_in(tree), class_name)
    )


def execute(source: str, path: Path, *, as_main: bool = False) -> ModuleType:
    """Run a file as a module of its own.

    Args:
        source: the file's text.
        path: where it lies.
        as_main: also put it in the place of the program, for good: `from __main__ import f` and
            `cProfile.run("f()")` look there. `__name__` stays the module's own.

    Raises:
        BaseException: whatever its code raises.
    """
    name = f"learner_{path.stem}"
    module = ModuleType(name)
    module.__file__ = str(path)
    sys.modules[name] = module  # dataclasses and pickle look a class's module up by name
    _executed.add(name)
    if as_main:
        sys.modules["__main__"] = module
    linecache.checkcache(str(path))
    folder = str(path.resolve().parent)
    sys.path.insert(0, folder)
    try:
        exec(_compiled(source, path), vars(module))
    finally:
        if folder in sys.path:
            sys.path.remove(folder)
    return module


def _compiled(source: str, path: Path) -> Any:
    """The code of a file.

    Raises:
        SyntaxError: what only the compiler sees, or the file has changed since it was parsed.
        LoadingError: it is too deep, which is no shortage of memory.
    """
    try:
        return compile(source, str(path), "exec")
    except (RecursionError, MemoryError):
        raise LoadingError(
            f"{path} is nested too deeply for Python to compile. Take the longest expressions "
            "apart; nothing was graded."
        ) from None


def forget_executed() -> None:
    """Forget what was run, such as a solution, in a process that was copied from this one."""
    while _executed:
        sys.modules.pop(_executed.pop(), None)


def import_file(path: Path, *, as_main: bool = False) -> ModuleType:
    """Run a file as Python would from the working directory, as part of its package if it has one.

    The folders that it imports from stay on `sys.path`: this is for a process of its own.

    Args:
        path: the file.
        as_main: as in `execute`; a part of a package is no program.

    Raises:
        BaseException: whatever its code raises.
    """
    sys.path.insert(0, str(Path.cwd()))
    package = _package_folders(path.resolve())
    if not package:
        sys.path.insert(0, str(path.resolve().parent))
        return execute(read_source(path), path, as_main=as_main)
    sys.path.insert(0, str(package[-1].parent))
    return importlib.import_module(
        ".".join([*(folder.name for folder in package[::-1]), path.stem])
    )


def class_of(module: ModuleType, class_name: str) -> Any:
    """What the module calls `class_name`.

    Raises:
        LoadingError: the name is not there, or is no class.
    """
    value = vars(module).get(class_name)
    path = module.__file__
    if value is None:
        raise LoadingError(f"{path} ran, but afterwards there is no {class_name}.")
    if not isinstance(value, type):
        kind = type(value).__name__
        raise LoadingError(
            f"{path}: {class_name} is a {kind}, not a class. "
            f"Write `class {class_name}(nn.Module):`."
        )
    return value


def shortest(path: Path, root: Path | None = None) -> Path:
    """`path` from `root`, if it lies below it; `root` is the working directory, unless given."""
    root = root or Path.cwd()
    return path.relative_to(root) if path.is_relative_to(root) else path


def printed_path(path: Path) -> Path:
    """`path` from the working directory, else from the repository's root, if it lies below one.

    Annotations and SARIF are read from there; a baseline written from there fits every checkout.
    """
    return shortest(shortest(path), _repository())


def text_at(printed: str) -> str:
    """The text of a file by its `printed_path`, or its path in an installed package.

    It is `""` where there is no such file, or it cannot be read.
    """
    paths = (folder / printed for folder in (Path(), _repository(), *map(Path, sys.path)))
    path = next(filter(Path.is_file, paths), None)
    try:
        return read_source(path) if path else ""
    except LoadingError:
        return ""


def _repository() -> Path:
    """The root of the repository around the working directory, else that itself."""
    folder = Path.cwd()
    return next((p for p in (folder, *folder.parents) if (p / ".git").exists()), folder)


def _package_folders(file: Path) -> list[Path]:
    """The folders of the packages that `file` is in, the innermost first."""
    found = []
    for folder in file.parents:
        if not (folder / "__init__.py").exists():
            break
        found.append(folder)
    return found


def _names_bound_by(node: ast.AST) -> list[str]:
    if isinstance(node, ast.ClassDef | ast.FunctionDef):
        return [node.name]
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        return [node.id]
    if isinstance(node, ast.ImportFrom | ast.Import):
        return [alias.asname or alias.name for alias in node.names]
    return []


def _instead(found: tuple[str, ...], class_name: str) -> str:
    if not found:
        return f"It defines no class at all. Write `class {class_name}(nn.Module):`."
    names = " and ".join(found)
    return f"It defines {names}. Rename your class to {class_name}, the name the exercise gives it."
