"""What the themes share: the decorator that registers a situation, and calls that may raise."""

import sys
from collections.abc import Callable
from typing import Any

import pytest

SITUATIONS: dict[str, Callable[[], None]] = {}


def situation(function: Callable[[], None]) -> Callable[[], None]:
    """Register a function that must end without ending the process."""
    SITUATIONS[function.__name__] = function
    return function


def raises(*kinds: type[BaseException]) -> Any:
    """A context whose code must raise one of these."""
    return pytest.raises(kinds)


def ignoring(use: Callable[[], Any]) -> None:
    """Call `use`, which may raise any exception, and print it."""
    try:
        use()
    except Exception as error:
        print(type(error).__name__, str(error)[:80], file=sys.stderr)
