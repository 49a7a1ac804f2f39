"""Calls that a package has written down, and what they give when they are run.

1. The example in a class's docstring: it is run, and the call that it makes is caught.
2. What stands between parentheses, as a recipe or a plan has it: its values.
"""

from __future__ import annotations

import doctest
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import torch
from torch import nn

from grader.auditing.survey.catching import Catcher, Caught
from grader.probe import Inputs, written_inputs


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


def arguments_from(source: str, cls: type) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Positional and keyword arguments; names are those of the file that defines `cls`."""
    written = written_inputs(source, vars(sys.modules.get(cls.__module__, torch)))
    return written.args, dict(written.kwargs)


def inputs_from(source: str, module: nn.Module) -> Inputs:
    """The inputs of a call; names are those of the class's file, and `module` is the module."""
    names = vars(sys.modules.get(type(module).__module__, torch))
    return written_inputs(source, {**names, "module": module})


def maker(cls: type[nn.Module], arguments: str) -> Callable[..., nn.Module]:
    """A function that builds `cls` with new arguments each time, and takes further ones."""

    def make(**placed: Any) -> nn.Module:
        args, kwargs = arguments_from(arguments, cls)
        return cls(*args, **(kwargs | placed))

    make.__wrapped__ = cls  # type: ignore[attr-defined]  # whose signature and files it has
    return make


def _docstrings(cls: type[nn.Module]) -> Iterator[str]:
    for owner in (cls, cls.__init__, cls.forward):
        yield getattr(owner, "__doc__", None) or ""


def _examples(text: str) -> Iterator[str]:
    try:
        yield from (example.source for example in doctest.DocTestParser().get_examples(text))
    except ValueError:  # a prompt that is not followed by a blank, say
        return
