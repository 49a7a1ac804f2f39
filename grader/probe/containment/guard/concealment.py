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


def conceal() -> None:
    """Take the grader's modules out of `sys.modules`, and put the stand-in there.

    For good: what the probe has yet to import it imports before.
    """
    for name in [*sys.modules]:
        if name.split(".")[0] == "grader" and not f"{name}.".startswith(f"{SHOWN}."):
            del sys.modules[name]
    sys.modules.update({"grader": StandIn(), "__main__": ModuleType("__main__")})


def _nothing(*args: Any, **kwargs: Any) -> None:
    """What a command does where its answer is being graded."""
