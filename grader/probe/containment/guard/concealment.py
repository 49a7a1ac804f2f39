"""Hides the grader from the learner's code.

`import grader` gives a stand-in there, whose commands do nothing: a `check("04", Net)` left at the
end of a file costs no mark, and no module of the probe's can be had by its name. The simulated
device stays: it is what the code runs on.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from functools import partial
from types import ModuleType
from typing import Any

SHOWN = "grader.simulated_cuda"


class StandIn(ModuleType):
    """The package `grader`, as the learner's code sees it."""

    def __init__(self) -> None:
        super().__init__("grader")
        self.__path__: list[str] = []
        self.simulated_cuda = sys.modules[SHOWN].simulated_cuda
        self.expected_error = partial(suppress, Exception)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return _nothing


def hidden_modules() -> tuple[str, ...]:
    """The names in `sys.modules` that are the grader's, but for the simulated device's."""
    grader_names = (name for name in sys.modules if name.split(".")[0] == "grader")
    return "__main__", *(name for name in grader_names if not f"{name}.".startswith(f"{SHOWN}."))


def conceal(names: tuple[str, ...]) -> None:
    """Take `names` out of `sys.modules`, and put the stand-in there.

    For good: what the probe has yet to import it imports before.
    """
    for name in names:
        sys.modules.pop(name, None)
    sys.modules.update({"grader": StandIn(), "__main__": ModuleType("__main__")})


def _nothing(*args: Any, **kwargs: Any) -> None:
    """What a command does where its answer is being graded."""
