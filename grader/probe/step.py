"""A step of a probe: a function that does something with a module and adds facts to evidence."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from grader.schema import Evidence, Stage


@dataclass(frozen=True)
class Step:
    """One step.

    Attributes:
        stage: how reports call it.
        run: given the evidence so far, gives it with what this step saw.
    """

    stage: Stage
    run: Callable[[Evidence], Evidence]
