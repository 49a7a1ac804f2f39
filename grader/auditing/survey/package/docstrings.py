"""Runs the example in a class's docstring, and catches the call that it makes."""

from __future__ import annotations

import doctest
import sys
from collections.abc import Iterator
from contextlib import suppress

from torch import nn

from grader.auditing.survey.catching import Catcher, Caught


def has_example(cls: type[nn.Module]) -> bool:
    """Whether a docstring of the class shows code with Python's prompt."""
    return any(">>>" in text for text in _docstrings(cls))


def call_in_docstring(cls: type[nn.Module]) -> Caught | None:
    """The first call of an instance of `cls` in the examples; None if they make none.

    An example that raises is passed over, as doctest does.
    """
    caught: list[Caught] = []
    catcher = Catcher(
        wants=lambda module: type(module) is cls and not caught,
        give=caught.append,
        refuse=lambda module, reason: None,
    )
    with catcher.on():
        for text in _docstrings(cls):
            names = dict(vars(sys.modules[cls.__module__]), __name__="__main__")
            for source in _examples(text):
                with suppress(Exception, SystemExit):
                    exec(compile(source, "<docstring>", "single"), names)
                if caught:
                    return caught[0]
    return None


def _docstrings(cls: type[nn.Module]) -> Iterator[str]:
    for owner in (cls, cls.__init__, cls.forward):
        yield getattr(owner, "__doc__", None) or ""


def _examples(text: str) -> Iterator[str]:
    try:
        yield from (example.source for example in doctest.DocTestParser().get_examples(text))
    except ValueError:  # a prompt that is not followed by a blank, say
        return
