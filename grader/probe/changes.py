"""Tries code out: functions run as if their files held another text, in the block or for good.

A file is not run again, which may train a model or open a window. Its functions get the code that
the new text has for them; classes, closures and instances stay as they are.
"""

from __future__ import annotations

import gc
import inspect
import linecache
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from operator import call
from types import CodeType, FunctionType
from typing import Any, ClassVar

from grader.probe.inspection.source import Runner, forget_sources
from grader.probe.subject import Subject
from grader.probe.tasks import Task

Texts = Mapping[str, str]  # of files, by their names in frames
Codes = dict[tuple[str, int], CodeType]  # by qualified name, and which of that name it is


class CannotTryError(Exception):
    """A change is none of the code of functions that are there."""


@contextmanager
def changed(texts: Texts) -> Iterator[None]:
    """Within the block, run the functions of some files as their new texts have them.

    Raises:
        CannotTryError: they cannot be exchanged.
    """
    with _change(texts) if texts else nullcontext():
        yield


def _change(texts: Texts) -> ExitStack:
    """Exchange the code of functions; what is given undoes that when it is closed."""
    with ExitStack() as undo:
        undo.callback(_restore, {file: linecache.cache.get(file) for file in texts})
        for function, code in _new_codes(texts):
            if code is None:
                cls = _class_of(function)
                undo.callback(setattr, cls, function.__name__, vars(cls)[function.__name__])
                delattr(cls, function.__name__)
                continue
            undo.callback(setattr, function, "__code__", function.__code__)
            try:
                function.__code__ = code
            except ValueError as error:  # such as `super()`, where it was not before
                if "<locals>" not in function.__qualname__:  # else a call makes it again
                    raise CannotTryError(str(error)) from None
        for file, text in texts.items():  # without a time, no check of the disk drops it
            linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
        forget_sources()
        return undo.pop_all()


def _class_of(function: FunctionType) -> Any:
    """The class of a method, by its qualified name."""
    *names, method = function.__qualname__.split(".")
    found: Any = sys.modules.get(function.__module__)
    for name in names:
        found = getattr(found, name, None)
    if not isinstance(found, type) or method not in vars(found):
        raise CannotTryError(f"{function.__qualname__} is left out, and its class is not known")
    return found


def _restore(entries: Mapping[str, object]) -> None:
    for file, entry in entries.items():
        linecache.cache.pop(file, None)
        if entry is not None:
            linecache.cache[file] = entry  # type: ignore[assignment]
    forget_sources()


def _new_codes(texts: Texts) -> Iterator[tuple[FunctionType, CodeType | None]]:
    """Each function of the files, and its code in the new text; None if it is left out."""
    gc.unfreeze()  # of a child, all that it has inherited is frozen, and so not listed
    alive = [f for f in gc.get_objects() if type(f) is FunctionType and _is_defined(f)]
    for file, text in texts.items():
        old, new = _codes("".join(linecache.getlines(file)), file), _codes(text, file)
        if any("<locals>" not in name for name, _ in new.keys() - old.keys()):
            raise CannotTryError("a function is added, for which the file would have to be run")
        keys: dict[object, tuple[str, int]] = {_place(code): key for key, code in old.items()}
        keys |= {code: key for key, code in old.items()}
        for function in (f for f in alive if f.__code__.co_filename == file):
            code = function.__code__
            key = keys.get(code) or keys.get(_place(code))  # pytest rewrites asserts
            if key is None:
                raise CannotTryError(f"{function.__qualname__} is not of this text")
            yield function, new.get(key)


def _is_defined(function: FunctionType) -> bool:
    """While a file or a cell runs, there is also a function of its whole code."""
    return bool(function.__code__.co_flags & inspect.CO_OPTIMIZED)


def _place(code: CodeType) -> tuple[str, int]:
    return code.co_qualname, code.co_firstlineno


def _codes(text: str, file: str) -> Codes:
    """The code of each function of a text.

    Raises:
        CannotTryError: it is no Python.
    """
    found: dict[str, list[CodeType]] = defaultdict(list)
    try:
        waiting = [compile(text, file, "exec", dont_inherit=True)]
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise CannotTryError(str(error)) from None
    for code in waiting:  # grows as it goes
        inner = [constant for constant in code.co_consts if isinstance(constant, CodeType)]
        waiting += inner
        for each in inner:
            found[each.co_qualname].append(each)
    return {(name, n): code for name, codes in found.items() for n, code in enumerate(codes)}


@dataclass(frozen=True)
class Changed(Task):
    """Another task, whose code is changed once its subject is there.

    Attributes:
        task: that one. texts: see `changed`.
    """

    is_graded: ClassVar[bool] = False

    task: Task
    texts: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, task: Task, texts: Texts) -> Changed:
        return cls(task.path, task.name, task.seed, task.device, task, tuple(texts.items()))

    @property
    def is_live(self) -> bool:  # type: ignore[override]
        return self.task.is_live

    @property
    def patience(self) -> float:
        return self.task.patience

    @property
    def preloaded(self) -> tuple[str, ...]:
        return self.task.preloaded

    def prepare(self, run: Runner = call) -> Subject:
        """The subject of the other task; the change lasts as long as the process."""
        subject = self.task.prepare(run)
        _change(dict(self.texts))
        return subject
