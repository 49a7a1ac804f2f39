"""Code that a package shows: in docstrings, its README and its docs, in examples and in tests.

It is run as it stands, statement by statement, for the calls of the package's classes that it
makes; `witnesses` catches them.
"""

from __future__ import annotations

import ast
import doctest
import re
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from textwrap import dedent
from typing import Any
from unittest.mock import patch

import torch
from torch import nn

from grader.auditing.survey.package.distribution import Package, readme_of
from grader.auditing.survey.run_in_child import at_most

SECONDS_FOR_ONE = 30.0
MOST_FILES = 40
DOCUMENTS = ("docs/**/*.md", "docs/**/*.rst")
SCRIPTS, TESTS = "examples/*.py", "tests/**/test_*.py"
FENCED = re.compile(r"^[ \t]*(```+|~~~+)([^\n]*)\n(.*?)^[ \t]*\1", re.M | re.S)
LANGUAGES = {"", "python", "python3", "py", "pycon"}
DIRECTIVE = re.compile(
    r"^\.\. code(?:-block)?:: *(?:python|pycon)\n(?:[ \t]+:.*\n)*((?:[ \t]*\n|[ \t]+.*\n?)+)", re.M
)


@dataclass(frozen=True)
class Example:
    """Code that is shown somewhere.

    Attributes:
        title: where it is shown.
        texts: Python code, or text that has such code in it.
        module: the name of the module whose names it may use; `""` for none.
    """

    title: str
    texts: tuple[str, ...]
    module: str = ""

    def run(self) -> None:
        """Run each statement; one that raises is passed over, as doctest does."""
        names = {**vars(sys.modules.get(self.module, ast)), "__name__": "__main__"}
        ends = time.monotonic() + SECONDS_FOR_ONE
        with _on_the_cpu():
            for statement in _statements(self.texts):
                with suppress(Exception, SystemExit), at_most(ends - time.monotonic()):
                    exec(compile(statement, f"<{self.title}>", "exec"), names)


@dataclass(frozen=True)
class TestFile:
    """A file of tests, which pytest runs where it is installed."""

    title: str
    path: str

    def run(self) -> None:
        import pytest

        # Nothing is written into the project, and its own options may want plugins.
        sys.dont_write_bytecode = True
        quiet = ("-q", "-p", "no:cacheprovider", "-o", "addopts=")
        with _on_the_cpu(), suppress(Exception, SystemExit), at_most(SECONDS_FOR_ONE):
            pytest.main([self.path, *quiet])


def docstring_of(cls: type[nn.Module]) -> Example | None:
    """What the class's docstrings show with Python's prompt; None if that is nothing."""
    texts = (getattr(owner, "__doc__", None) or "" for owner in (cls, cls.__init__, cls.forward))
    shown = tuple(text for text in texts if ">>>" in text)
    return Example(f"the docstring of {cls.__qualname__}", shown, cls.__module__) if shown else None


def examples_of(package: Package) -> Iterator[Example | TestFile]:
    """What the package shows outside of its classes, and its tests if it is a folder."""
    if readme := readme_of(package):
        yield Example("its README", (readme,))
    project = package.project
    if not project:
        return
    for pattern in DOCUMENTS:
        yield from (Example(name, (text,)) for name, text in _files(project, pattern))
    for name, text in _files(project, SCRIPTS):
        yield Example(name, (f"```python\n{text}\n```",))
    if find_spec("pytest"):
        for name, _ in _files(project, TESTS):
            yield TestFile(name, str(project / name))


def _files(project: Path, pattern: str) -> Iterator[tuple[str, str]]:
    for path in sorted(project.glob(pattern))[:MOST_FILES]:
        with suppress(OSError, UnicodeDecodeError):
            yield path.relative_to(project).as_posix(), path.read_text(encoding="utf-8")


def _statements(texts: tuple[str, ...]) -> Iterator[ast.Module]:
    """Each statement of the code in the texts, in its order; what is no Python is passed over."""
    for source in chain.from_iterable(map(_pieces, texts)):
        with suppress(SyntaxError, ValueError):
            for statement in ast.parse(source).body:
                yield ast.Module([statement], [])


def _pieces(text: str) -> Iterator[str]:
    """The blocks of code in Markdown or reStructuredText, and what follows Python's prompt."""
    fenced = [found.groups() for found in FENCED.finditer(text)]
    blocks = [code for _, info, code in fenced if info.strip(" {}").lower() in LANGUAGES]
    blocks += [found.group(1) for found in DIRECTIVE.finditer(text)]
    for block in blocks or ([] if fenced else [text]):
        if ">>>" in block:
            with suppress(ValueError):  # a prompt that is not followed by a blank, say
                yield from (e.source for e in doctest.DocTestParser().get_examples(block))
        elif blocks:
            yield dedent(block)


@contextmanager
def _on_the_cpu() -> Iterator[None]:
    """Where code asks for a GPU in the block, it stays on the CPU: the audit moves it."""

    def itself(moved: Any, *_: Any, **__: Any) -> Any:
        return moved

    with ExitStack() as stack:
        stack.enter_context(patch.object(nn.Module, "cuda", itself))
        stack.enter_context(patch.object(torch.Tensor, "cuda", itself))
        stack.enter_context(patch.object(torch.cuda, "is_available", lambda: False))
        yield
