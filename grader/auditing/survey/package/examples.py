"""Code that a class's docstrings show, with Python's prompt.

It is run as it stands, statement by statement, for the call of the class that it makes; `witnesses`
catches it.
"""

from __future__ import annotations

import ast
import doctest
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

import torch
from torch import nn

from grader.auditing.survey.run_in_child import at_most

SECONDS = 30.0


@dataclass(frozen=True)
class Example:
    """Code that is shown somewhere.

    Attributes:
        title: where it is shown.
        texts: text with Python code after Python's prompt.
        module: the name of the module whose names it may use.
    """

    title: str
    texts: tuple[str, ...]
    module: str

    def run(self) -> None:
        """Run each statement; one that raises is passed over, as doctest does."""
        names = {**vars(sys.modules[self.module]), "__name__": "__main__"}
        ends = time.monotonic() + SECONDS
        with _on_the_cpu():
            for statement in _statements(self.texts):
                with suppress(Exception, SystemExit), at_most(ends - time.monotonic()):
                    exec(compile(statement, f"<{self.title}>", "exec"), names)


def docstring_of(cls: type[nn.Module]) -> Example | None:
    """What the class's docstrings show with Python's prompt; None if that is nothing."""
    texts = (getattr(owner, "__doc__", None) or "" for owner in (cls, cls.__init__, cls.forward))
    shown = tuple(text for text in texts if ">>>" in text)
    return Example(f"the docstring of {cls.__qualname__}", shown, cls.__module__) if shown else None


def _statements(texts: tuple[str, ...]) -> Iterator[ast.Module]:
    """Each statement of the code in the texts, in its order; what is no Python is passed over."""
    for text in texts:
        with suppress(ValueError):  # a prompt that is not followed by a blank, say
            for example in doctest.DocTestParser().get_examples(text):
                with suppress(SyntaxError, ValueError):
                    for statement in ast.parse(example.source).body:
                        yield ast.Module([statement], [])


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
