"""How a probe runs the learner's code: directly, or behind a guard."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, Protocol

Action = Callable[[], Any]
Runner = Callable[..., Any]


class TamperedError(BaseException):
    """The learner's code tampered with the grader. `except Exception` lets it pass."""


class Guard(Protocol):
    """Keeps a graded probe apart from the learner's code; see `grader.probe.containment.guard`."""

    @property
    def run(self) -> Runner:
        """`run(action)`: return or raise what `action()` does."""

    def look(self, module: Any = None, returned: Any = None) -> None:
        """Check that the module and a value that it returned do not lie about their types.

        Args:
            module: the learner's, if there is one yet.
            returned: what its code gave.

        Raises:
            TamperedError: one of them does.
        """


def within(mode: AbstractContextManager[Any] | None, action: Action) -> Any:
    """The result of `action()`, inside `with mode` unless that is None."""
    if mode is None:
        return action()
    with mode:
        return action()
