"""What a training step and a checkpoint did."""

from __future__ import annotations

from msgspec import Struct

from grader.schema.evidence.calls import Output
from grader.schema.evidence.problems import Raised
from grader.schema.evidence.structure import Location, Role


class Trained(Struct, frozen=True):
    """What training did to one registered tensor."""

    name: str
    role: Role
    requires_grad: bool
    has_gradient: bool
    changed: bool


class Training(Struct, frozen=True):
    """One or two steps of SGD.

    Attributes:
        tensors: what they did to the registered tensors; in an audit, to those that share memory.
        unregistered: tensors that got a gradient and are not in `parameters()`.
        newcomers: Parameters that the module registered only when it was called.
        replaced: trainable Parameters in whose place every call puts another object.
    """

    raised: Raised | None = None
    tensors: tuple[Trained, ...] = ()
    unregistered: tuple[Location, ...] = ()
    newcomers: tuple[Location, ...] = ()
    replaced: tuple[Location, ...] = ()


class Checkpoint(Struct, frozen=True):
    """A state_dict loaded into a fresh instance, and what both then gave for the same inputs.

    Attributes:
        unsaved: what training changed and the state_dict does not hold.
        late: tensors with a key that a new instance does not expect, where strict loading raises.
        gone: the reverse: a new instance expects their keys, and calls unregistered them.
        as_part: the same where the module is a part of a larger one, whose keys have a prefix; None
            if that was not tried.
        again: another one, loaded into the same instance after a call on CUDA, in an exercise.
    """

    raised: Raised | None = None
    missing: tuple[str, ...] = ()
    unexpected: tuple[str, ...] = ()
    before: tuple[Output, ...] = ()
    after: tuple[Output, ...] = ()
    unsaved: tuple[Location, ...] = ()
    late: tuple[Location, ...] = ()
    gone: tuple[Location, ...] = ()
    as_part: Checkpoint | None = None
    again: Checkpoint | None = None


class Optimizer(Struct, frozen=True):
    """An optimizer that the module holds.

    Attributes:
        strangers: how many of its tensors the module does not hold. forgotten: the module's that it
            lacks. raised: what its step raised after the module had moved.
        is_resumed: whether that was after a checkpoint had been loaded.
    """

    path: str
    line: int = 0
    strangers: int = 0
    forgotten: tuple[str, ...] = ()
    raised: Raised | None = None
    file: str = ""
    is_resumed: bool = False
