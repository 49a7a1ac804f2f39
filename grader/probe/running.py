"""How a probe runs the learner's code."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

Action = Callable[[], Any]
Runner = Callable[..., Any]


def within(mode: AbstractContextManager[Any] | None, action: Action) -> Any:
    """The result of `action()`, inside `with mode` unless that is None."""
    if mode is None:
        return action()
    with mode:
        return action()
