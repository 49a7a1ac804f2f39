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
IMPORT = re.compile(r"(?:\s|#.*|>>>)*(?:import|from) ")
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
        texts: Python code, or text with such code after Python's prompt.
        module: the name of the module whose names it may use; `""` for none.
    """

    title: str
    texts: tuple[str, ...]
    module: str = ""

    def run(self) -> None:
        """Run each statement; one that raises is passed over, as doctest does."""
        known = vars(sys.modules[self.module]) if self.module else {}
        names = {**known, "__name__": "__main__"}
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
    yield from _shown_in("its README", readme_of(package))
    project = package.project
    if not project:
        return
    for pattern in DOCUMENTS:
        for name, text in _files(project, pattern):
            yield from _shown_in(name, text)
    yield from (Example(name, (text,)) for name, text in _files(project, SCRIPTS))
    if find_spec("pytest"):
        for name, _ in _files(project, TESTS):
            yield TestFile(name, str(project / name))


def _shown_in(title: str, text: str) -> Iterator[Example]:
    """The code in a document; a block that begins with an import needs nothing of those above."""
    first, codes = 0, list[str]()
    for line, code in sorted(_blocks(text)):
        if codes and IMPORT.match(code):
            yield Example(f"line {first} of {title}", tuple(codes))
            codes = []
        first = line if not codes else first
        codes.append(code)
    if codes:
        yield Example(f"line {first} of {title}", tuple(codes))


def _blocks(text: str) -> Iterator[tuple[int, str]]:
    """The blocks of Python in Markdown or reStructuredText, each with its line."""
    for found in (*FENCED.finditer(text), *DIRECTIVE.finditer(text)):
        *_, info, code = ("", *found.groups())
        if found.re is DIRECTIVE or info.strip(" {}").lower() in LANGUAGES:
            yield text.count("\n", 0, found.start(found.re.groups)) + 1, dedent(code)


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
    if ">>>" not in text:
        yield text
        return
    with suppress(ValueError):  # a prompt that is not followed by a blank, say
        yield from (example.source for example in doctest.DocTestParser().get_examples(text))


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
