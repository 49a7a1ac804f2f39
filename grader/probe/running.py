"""How a probe runs the learner's code: in its own thread, or in one that a guard keeps."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, Protocol

Action = Callable[[], Any]
Run = Callable[..., Any]


class TamperedError(BaseException):
    """The learner's code has tampered with the grader. No `except Exception` stops it."""


class Guard(Protocol):
    """What stands between the probe and the learner's code, where there are marks to be had."""

    @property
    def run(self) -> Run:
        """`run(action, mode=None)` gives what `action()` gives or raises, with `mode` entered."""

    def look(self, module: Any = None, returned: Any = None) -> None:
        """Look at what the module and what its code gave say of themselves.

        Args:
            module: the learner's, if there is one yet.
            returned: what its code gave.

        Raises:
            TamperedError: it is not so.
        """


def within(mode: AbstractContextManager[Any] | None, action: Action) -> Any:
    """What `action` gives, with `mode` entered around it if there is one."""
    if mode is None:
        return action()
    with mode:
        return action()
