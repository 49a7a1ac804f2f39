"""The facts a probe wrote down about one module: plain data, the same after a trip through JSON.

A probe fills these in and decides nothing; a judge reads them and runs nothing. Nothing here
imports torch, so a judge's rule can be tested from an `Evidence` written by hand.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import msgspec

Role = Literal["parameter", "buffer", "plain"]
Leg = Literal[
    "", "cpu", "again", "moved", "second", "back", "cuda", "train", "half", "parent", "cpu_inputs",
    "replica",
]  # fmt: skip
Ending = Literal["complete", "timeout", "crashed", "out_of_memory", "output_limit", "tampered"]
Source = Literal["attribute", "global", "input", "made", "unknown"]


@dataclass(frozen=True)
class Values:
    """The numbers of a tensor, row by row, as little-endian float64 (complex ones as pairs)."""

    shape: tuple[int, ...]
    data: bytes

    @classmethod
    def of(cls, numbers: Iterable[float], shape: tuple[int, ...] | None = None) -> Values:
        """Pack `numbers`; `shape` defaults to one dimension.

        >>> Values.of([0.5, 2.0]).numbers().tolist()
        [0.5, 2.0]
        """
        packed = array("d", numbers)
        return cls((len(packed),) if shape is None else shape, packed.tobytes())

    def numbers(self) -> array[float]:
        """The numbers, flat.

        Raises:
            ValueError: the data is not a whole number of float64 values.
        """
        return array("d", self.data)


@dataclass(frozen=True)
class Operand:
    """One tensor that went into an operation which raised.

    Attributes:
        source: where its data came from, followed back through views and arithmetic.
        name: the attribute (`self.mask`), the input (`batch[0]`) or the call (`torch.randn`).
        line: the learner's line that made it, 0 if unknown. code: that line's text.
        earlier: whether an earlier call of the module made it.
        moved_line: a line that moved it, 0 if there is none.
        moved_in_place: whether that moved it itself, as `Module.cuda` does; else what the line
            gave was not what was used.
        is_parameter: whether it is an `nn.Parameter`.
        in_loss: whether it belongs to a loss function.
    """

    device: str
    shape: tuple[int, ...] = ()
    source: Source = "unknown"
    name: str = ""
    line: int = 0
    code: str = ""
    earlier: bool = False
    moved_line: int = 0
    moved_in_place: bool = False
    is_parameter: bool = False
    in_loss: bool = False


@dataclass(frozen=True)
class Raised:
    """An exception that left the learner's code, or a problem that the probe found by itself.

    Attributes:
        type: the exception's class, `""` of a problem.
        line: the deepest line of the learner's own file on the way to it, 0 if there is none.
        code: that line's text.
        operation: the torch operation that raised it, `""` if none did.
    """

    type: str
    message: str
    line: int = 0
    code: str = ""
    operation: str = ""
    operands: tuple[Operand, ...] = ()

    @classmethod
    def problem(cls, message: str, line: int = 0, operation: str = "") -> Raised:
        """What the probe says by itself; `message` is told to the learner as it is."""
        return cls("", message, line, operation=operation)

    @property
    def is_exception(self) -> bool:
        """Whether it was raised; else it is a problem."""
        return bool(self.type)


@dataclass(frozen=True)
class Holder:
    """The object that hides a tensor from `Module.to`: its type's name, and its path."""

    kind: str
    path: str


@dataclass(frozen=True)
class TensorFact:
    """One tensor that can be reached from the module.

    Attributes:
        path: as a person would write it: `self.layers[0].weight`.
        name: its key in `named_parameters` or `named_buffers`, `""` if it is in neither.
        persistent: whether the state_dict holds it.
        is_parameter: whether it is an `nn.Parameter`, registered or not.
        holder: the outermost object that hides it from `Module.to`; None if none does, or if a
            module hides it that is not registered.
        identity: equal numbers, same tensor object. storage: equal numbers, shared memory.
        line: the learner's line that made it, 0 if unknown.
        value: what that line binds to it, as source text.
        used: whether a call of the module read it.
        copy_of: the registered tensor that it was a copy of, `""` if none.
        fixed: whether every construction gives it the same uneven values.
        uniform: the one number that all of it is, None if there are several, or none to read.
        in_loss: whether it belongs to a loss function.
    """

    path: str
    name: str = ""
    role: Role = "plain"
    persistent: bool = True
    is_parameter: bool = False
    holder: Holder | None = None
    shape: tuple[int, ...] = ()
    dtype: str = "float32"
    device: str = "cpu"
    requires_grad: bool = False
    is_leaf: bool = True
    identity: int = 0
    storage: int = 0
    line: int = 0
    value: str = ""
    used: bool = False
    copy_of: str = ""
    fixed: bool = False
    in_loss: bool = False
    uniform: Values | None = None


@dataclass(frozen=True)
class Place:
    """Something in the learner's code, the line where it stands, and what is to be known of it."""

    path: str
    line: int = 0
    value: str = ""


@dataclass(frozen=True)
class Structure:
    """The module as constructed.

    Attributes:
        emptied: buffers that were registered with a tensor and are None now.
        devices: attributes that name a device, with the device.
        generators: attributes that are a `torch.Generator`.
        overrides: methods such as `to` that the learner's classes override.
        never_told: modules hidden from `eval()`, with their class.
        given_up: what was too large to look into.
    """

    tensors: tuple[TensorFact, ...] = ()
    state_keys: tuple[str, ...] = ()
    emptied: tuple[Place, ...] = ()
    devices: tuple[Place, ...] = ()
    generators: tuple[Place, ...] = ()
    overrides: tuple[Place, ...] = ()
    never_told: tuple[Place, ...] = ()
    given_up: tuple[str, ...] = ()


@dataclass(frozen=True)
class Movement:
    """Where every tensor was after a move, which `how` names as the learner would write it."""

    how: str
    raised: Raised | None = None
    tensors: tuple[TensorFact, ...] = ()


@dataclass(frozen=True)
class Output:
    """One leaf of what `forward` returned.

    Attributes:
        values: its numbers, or a sample of them; None where it has none to read.
        held_at: the attribute that it is, or was made from, on this device.
        made_by: the call it came out of; line: the learner's line of that call; code: its text.
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


@dataclass(frozen=True)
class Run:
    """One call of the module, with module and inputs on `device`.

    Attributes:
        leg: which call of an audit's journey it is, `""` in an exercise.
        moved_inputs: how many of its inputs the module moved itself.
        rows_moved: the length of the longest tensor that it moved.
    """

    device: str
    raised: Raised | None = None
    outputs: tuple[Output, ...] = ()
    leg: Leg = ""
    moved_inputs: int = 0
    rows_moved: int = 0


@dataclass(frozen=True)
class Trained:
    """What one training step did to one registered tensor."""

    name: str
    role: Role
    requires_grad: bool
    has_gradient: bool
    changed: bool


@dataclass(frozen=True)
class Training:
    """One step of SGD.

    Attributes:
        strays: tensors that got a gradient and are not in `parameters()`.
        newcomers: Parameters that the module registered only when it was called.
    """

    raised: Raised | None = None
    tensors: tuple[Trained, ...] = ()
    strays: tuple[Place, ...] = ()
    newcomers: tuple[Place, ...] = ()


@dataclass(frozen=True)
class Checkpoint:
    """A state_dict loaded into a fresh instance, and what both then gave for the same inputs.

    Attributes:
        unsaved: what training changed and the state_dict does not hold.
        as_part: the same where the module is a part of a larger one, whose keys have a prefix; None
            if that was not tried.
    """

    raised: Raised | None = None
    missing: tuple[str, ...] = ()
    unexpected: tuple[str, ...] = ()
    before: tuple[Output, ...] = ()
    after: tuple[Output, ...] = ()
    unsaved: tuple[Place, ...] = ()
    as_part: Checkpoint | None = None


@dataclass(frozen=True)
class Optimizer:
    """An optimizer that the module holds.

    Attributes:
        strangers: how many of its tensors are not the module's. forgotten: the module's that it
            lacks. raised: what its step raised after the module had moved.
    """

    path: str
    line: int = 0
    strangers: int = 0
    forgotten: tuple[str, ...] = ()
    raised: Raised | None = None


@dataclass(frozen=True)
class State:
    """One entry of the state the forward run started from."""

    name: str
    values: Values


@dataclass(frozen=True)
class Drawn:
    """What several constructions, each with another seed, gave one registered tensor.

    Attributes:
        count: how many numbers that were.
        moments: their mean, and the root of their mean square.
    """

    name: str
    count: int
    moments: Values


@dataclass(frozen=True)
class Noise:
    """One output that differs from call to call, over many calls with the same inputs.

    Attributes:
        mode: `eval` or `train`.
        calls: how many there were.
        draws: how often each number was drawn: once or several times in each call.
        mean, deviation, kurtosis: of each number in it.
        total: the deviation and the kurtosis of the sum of all numbers of one call.
    """

    mode: str
    path: str
    calls: int
    draws: int
    mean: Values
    deviation: Values
    kurtosis: Values
    total: Values


@dataclass(frozen=True)
class OtherInstance:
    """A new instance that was built with other arguments, and its first call in eval mode.

    Attributes:
        state: the values of every registered tensor. trainable: the names of those that require a
            gradient.
    """

    run: Run
    state: tuple[State, ...] = ()
    trainable: tuple[str, ...] = ()


@dataclass(frozen=True)
class ByDefault:
    """How the constructor treats the default device.

    Attributes:
        tensors: those of an instance that was built without a `device` while the default was CUDA.
        raised: what that raised.
        left: the default device after an instance was built with `device="cuda:0"`.
    """

    tensors: tuple[TensorFact, ...] = ()
    raised: Raised | None = None
    left: str = "cpu"


@dataclass(frozen=True)
class Elsewhere:
    """A call in another place than the CPU and cuda:0.

    Attributes:
        how: how the module came there.
        unwritten: the registered tensors that had memory there, and no values.
    """

    how: str
    run: Run
    unwritten: tuple[str, ...] = ()


@dataclass(frozen=True)
class FirstCalls:
    """A new instance with the values that its constructor gave it, and its first calls on the CPU.

    Attributes:
        state: the values of every registered tensor before the first call.
        runs: called in eval mode, twice in train mode with different inputs, in eval mode again.
        drawn: the Parameters of several new instances, one after the other.
        noise: the outputs that depend on the seed.
        attached: the buffers that autograd tracks after those calls.
        other: an instance that was built with other arguments, where the recipe has some.
        resized: on CUDA, what a call raised after one with inputs of another size.
    """

    state: tuple[State, ...] = ()
    runs: tuple[Run, ...] = ()
    drawn: tuple[Drawn, ...] = ()
    noise: tuple[Noise, ...] = ()
    attached: tuple[str, ...] = ()
    other: OtherInstance | None = None
    resized: Raised | None = None


@dataclass(frozen=True)
class Refused:
    """Something that was refused to the learner's code, and the line that asked for it."""

    what: str
    line: int = 0


@dataclass(frozen=True)
class Evidence:
    """All that one probe saw. A part that is None was not reached.

    Attributes:
        device: what was judged on: `cuda:0 (simulated)` or `cuda:0 (NVIDIA H200)`.
        detail: what is known of how it ended, where it did not complete.
        stage: the part of the probe that was last begun.
        undefined: why running the learner's file left no class behind.
        broken: what the learner's code raised where no module should, such as in `state_dict`.
        seed: the inputs can be drawn again from it.
        first_calls: how a new instance behaves, with its own initial values.
        by_default: how the constructor treats the default device, where it takes a device.
        elsewhere: calls in other places, where the exercise names some.
        random: whether the module's outputs depend on the random seed.
        counters: attributes that every call changes.
        on_device: the module constructed with `device="cuda"`, where it takes a device.
        audit: what an audit of the same module saw, where the exercise asks for one.
        skipped: what could not be looked at, and why.
        printed: the beginning of what the learner's code printed.
        uncompiled: whether it called `torch.compile`, which the simulated device leaves out.
        refused: what it asked for and no answer needs.
        constructions: what the instances registered, each kind of instance once: one, if the
            constructor always does the same.
    """

    device: str
    torch: str
    seed: int
    ending: Ending = "complete"
    detail: str = ""
    stage: str = ""
    undefined: Raised | None = None
    construction: Raised | None = None
    broken: Raised | None = None
    structure: Structure | None = None
    movements: tuple[Movement, ...] = ()
    state: tuple[State, ...] = ()
    runs: tuple[Run, ...] = ()
    training: Training | None = None
    checkpoint: Checkpoint | None = None
    first_calls: FirstCalls | None = None
    by_default: ByDefault | None = None
    elsewhere: tuple[Elsewhere, ...] = ()
    random: bool = False
    counters: tuple[Place, ...] = ()
    on_device: Structure | None = None
    on_device_raised: Raised | None = None
    optimizers: tuple[Optimizer, ...] = ()
    skipped: tuple[str, ...] = ()
    audit: Evidence | None = None
    printed: str = ""
    uncompiled: bool = False
    refused: tuple[Refused, ...] = ()
    constructions: tuple[str, ...] = ()

    @property
    def tensors(self) -> tuple[TensorFact, ...]:
        """The module's tensors as constructed; none if it was not."""
        return self.structure.tensors if self.structure else ()

    def to_json(self) -> bytes:
        """Write it as one JSON object."""
        return msgspec.json.encode(self)

    @classmethod
    def from_json(cls, text: bytes) -> Evidence:
        """The evidence that `to_json` wrote.

        Raises:
            msgspec.ValidationError: it is JSON of another shape.
            msgspec.DecodeError: it is not JSON.
        """
        return msgspec.json.decode(text, type=cls)
