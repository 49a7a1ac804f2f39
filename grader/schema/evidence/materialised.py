"""A module that was built without memory, on the meta device, and loaded from a checkpoint."""

from __future__ import annotations

from dataclasses import dataclass

from grader.schema.evidence.calls import Run
from grader.schema.evidence.problems import Raised


@dataclass(frozen=True)
class Materialised:
    """An instance that was built on the meta device, given memory by `to_empty`, reset and loaded.

    Attributes:
        raised: what building or loading it raised; then there was no call.
        run: its call on the CPU. expected: the same call of the instance that was saved.
        untied: pairs of paths that led to one Parameter, and to two once it was loaded.
        unwritten: the paths of tensors that neither the reset nor the checkpoint wrote.
    """

    raised: Raised | None = None
    run: Run | None = None
    expected: Run | None = None
    unwritten: tuple[str, ...] = ()
    untied: tuple[tuple[str, str], ...] = ()
