"""Imports a package with all its submodules, and lists the module classes that it defines."""

from __future__ import annotations

import importlib
import pkgutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

from torch import nn

from grader.auditing.survey.package.distribution import Package
from grader.auditing.survey.run_in_child import NoAnswerError, Note, call_in_child
from grader.auditing.survey.survey import Unimported, written_in
from grader.loading import printed_path

SECONDS_TO_IMPORT = 120.0
NOT_SURVEYED = {"__main__", "conftest", "setup", "test", "tests"}
MOST_RESTARTS = 20
INSTALLED = {"site-packages", "dist-packages"}


@dataclass(frozen=True)
class Found:
    """A module class, by the module and the name that give it.

    Attributes:
        file: as it should be printed.
        line: of its `class` statement, 0 if unknown.
    """

    module: str
    name: str
    file: str = ""
    line: int = 0

    @property
    def dotted(self) -> str:
        """`package.module.Class`."""
        return f"{self.module}.{self.name}"

    def load(self) -> type[nn.Module]:
        """Import it.

        Raises:
            BaseException: whatever the import raises.
        """
        value: Any = importlib.import_module(self.module)
        for part in self.name.split("."):
            value = getattr(value, part)
        cls: type[nn.Module] = value
        return cls


Listed = tuple[tuple[Found, ...], tuple[Unimported, ...]]


def discover(package: Package) -> Listed:
    """The classes of a package, and the submodules that cannot be imported.

    The imports run in a child. Where one ends or hangs that process, a new child leaves it out.
    """
    fatal: dict[str, Unimported] = {}
    for _ in range(MOST_RESTARTS):
        try:
            classes, unimported = call_in_child(
                partial(_list_classes, package, frozenset(fatal)), SECONDS_TO_IMPORT
            )
        except NoAnswerError as error:
            fatal[error.last] = Unimported(error.last, str(error))
            continue
        return classes, (*unimported, *fatal.values())
    return (), tuple(fatal.values())


def _list_classes(package: Package, left_out: frozenset[str], note: Note) -> Listed:
    package.make_importable()
    unimported: list[Unimported] = []
    for root in package.roots:
        _import_all(root, left_out, note, unimported)
    modules = [
        module
        for name, module in sorted(sys.modules.items())
        if isinstance(module, ModuleType) and _is_within(name, package.roots)
    ]
    return tuple(_classes_of(modules, package.roots)), tuple(unimported)


def _import_all(
    name: str, left_out: frozenset[str], note: Note, unimported: list[Unimported]
) -> None:
    """Import a module and, if it is a package, all that it holds."""
    if name in left_out:
        return
    note(name)
    try:
        module = importlib.import_module(name)
    except BaseException as error:  # a script that is run on import may raise SystemExit
        first = str(error).strip().partition("\n")[0]
        unimported.append(Unimported(name, f"{type(error).__name__}: {first}".removesuffix(": ")))
        return
    for inner in pkgutil.iter_modules(getattr(module, "__path__", [])):
        if inner.name not in NOT_SURVEYED and not inner.name.startswith("test_"):
            _import_all(f"{name}.{inner.name}", left_out, note, unimported)


def _classes_of(modules: list[ModuleType], roots: tuple[str, ...]) -> Iterator[Found]:
    """Each class once, by its own module's name where that leads to it; re-exports are left out."""
    seen: set[type] = set()
    for module in modules:
        for name, value in list(vars(module).items()):
            if not isinstance(value, type) or value in seen or not _is_surveyed(value, roots):
                continue
            seen.add(value)
            own = _home(value)
            yield Found(
                *(own or (module.__name__, name)),
                *written_in(value, partial(_printed, value.__module__)),
            )


def _is_surveyed(cls: type, roots: tuple[str, ...]) -> bool:
    return issubclass(cls, nn.Module) and _is_within(cls.__module__, roots)


def _is_within(module: str, roots: tuple[str, ...]) -> bool:
    return any(module == root or module.startswith(f"{root}.") for root in roots)


def _home(cls: type) -> tuple[str, str] | None:
    """The module and qualified name that a class gives itself, if they lead to it."""
    value: Any = sys.modules.get(cls.__module__)
    for part in cls.__qualname__.split("."):
        value = getattr(value, part, None)
    return (cls.__module__, cls.__qualname__) if value is cls else None


def _printed(module: str, path: Path) -> str:
    """The project's own file from its root; another from the folder that its package is in.

    An installed package may well lie below the project's root, in `.venv`.
    """
    own = printed_path(path)
    if not own.is_absolute() and INSTALLED.isdisjoint(own.parts):
        return own.as_posix()
    depth = module.count(".") + 1 + (path.name == "__init__.py")
    return "/".join(path.parts[-depth:])
