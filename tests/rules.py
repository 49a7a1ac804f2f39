"""A rule for many things as one test, which lists all that break it."""

from collections.abc import Callable, Iterable
from typing import Any

Rule = Callable[..., None]


def for_each(things: Iterable[Any], name: Callable[[Any], str] = str) -> Callable[[Rule], Rule]:
    """Turn a test of one thing into a test of all `things`, called by `name` where they fail."""

    def decorate(test: Rule) -> Rule:
        def rule() -> None:
            failures = []
            for thing in things:
                try:
                    test(thing)
                except Exception as error:
                    failures.append(f"{name(thing)}: {type(error).__name__}: {error}")
            assert not failures, "\n".join(failures)

        rule.__name__, rule.__module__, rule.__doc__ = test.__name__, test.__module__, test.__doc__
        return rule

    return decorate
