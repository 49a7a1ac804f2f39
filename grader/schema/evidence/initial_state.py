"""How a new instance behaves, with the values that its constructor gave it."""

from __future__ import annotations

from msgspec import Struct

from grader.schema.evidence.calls import Output, Run
from grader.schema.evidence.problems import Raised
from grader.schema.evidence.structure import TensorFact
from grader.schema.evidence.values import Values


class State(Struct, frozen=True):
    """One entry of the state the forward run started from."""

    name: str
    values: Values


class Drawn(Struct, frozen=True):
    """What several constructions, each with another seed, gave one registered tensor.

    Attributes:
        count: how many numbers that were.
        moments: their mean, and the root of their mean square.
    """

    name: str
    count: int
    moments: Values


class Noise(Struct, frozen=True):
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


class OtherInstance(Struct, frozen=True):
    """A new instance that was built with other arguments, and its first call in eval mode.

    Attributes:
        run: on the CPU.
        state: the values of every registered tensor. trainable: the names of those that require a
            gradient.
        on_gpu: the same call on the last GPU; None where the module chooses its GPU.
    """

    run: Run
    state: tuple[State, ...] = ()
    trainable: tuple[str, ...] = ()
    on_gpu: Run | None = None


class Placement(Struct, frozen=True):
    """A call in another place than the CPU and cuda:0.

    Attributes:
        how: how the module came there.
        unwritten: the registered tensors that had memory there, and no values.
        not_reset: those that had none after `reset_parameters()`, before a checkpoint was loaded.
    """

    how: str
    run: Run
    unwritten: tuple[str, ...] = ()
    not_reset: tuple[str, ...] = ()


class FirstCalls(Struct, frozen=True):
    """A new instance with the values that its constructor gave it, and its first calls on the CPU.

    Attributes:
        state: the values of every registered tensor before the first call.
        runs: called in eval mode, twice in train mode with different inputs, in eval mode again.
        drawn: the Parameters of several new instances, one after the other.
        noise: the outputs that depend on the seed.
        still: those of these outputs that are the same in two calls on CUDA, by mode and path.
        left: the tensors of the instance after those calls.
        other: an instance that was built with other arguments, where the recipe has some.
        resized: on CUDA, what a call raised after one with inputs of another size.
        resized_to: the size of those inputs, where the recipe lets them grow.
        gathered: what the instance saves and does not train, after those calls on the CPU.
    """

    state: tuple[State, ...] = ()
    runs: tuple[Run, ...] = ()
    drawn: tuple[Drawn, ...] = ()
    noise: tuple[Noise, ...] = ()
    still: tuple[tuple[str, str], ...] = ()
    left: tuple[TensorFact, ...] = ()
    other: OtherInstance | None = None
    resized: Raised | None = None
    resized_to: int = 0
    gathered: tuple[Output, ...] = ()
