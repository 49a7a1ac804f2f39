"""What calls of the module gave."""

from __future__ import annotations

from dataclasses import dataclass

from grader.schema.evidence.phases import Phase
from grader.schema.evidence.problems import Raised
from grader.schema.evidence.values import Values


@dataclass(frozen=True)
class Output:
    """One leaf of what `forward` returned.

    Attributes:
        values: its numbers, or a sample of them; None where it has none to read.
        held_at: the attribute that it is, or was made from, on this device.
        made_by: the call it came out of; file and line: the learner's, of that call; code: its
            text.
        requires_grad: whether a gradient can come back through it.
    """

    path: str
    type: str
    device: str = ""
    dtype: str = ""
    shape: tuple[int, ...] = ()
    values: Values | None = None
    held_at: str = ""
    made_by: str = ""
    line: int = 0
    code: str = ""
    requires_grad: bool = False
    file: str = ""


@dataclass(frozen=True)
class Run:
    """One call of the module, with module and inputs on `device`.

    Attributes:
        phase: which call it is.
        moved_inputs: how many of its inputs the module moved itself.
        rows_moved: the length of the longest tensor that it moved.
    """

    device: str
    raised: Raised | None = None
    outputs: tuple[Output, ...] = ()
    phase: Phase = Phase.EXERCISE
    moved_inputs: int = 0
    rows_moved: int = 0
