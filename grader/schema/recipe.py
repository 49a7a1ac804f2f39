"""How an exercise's class is built and fed: plain data that the probe follows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

Place = Literal["gpu", "meta", "unknown", "replica"]


@dataclass(frozen=True)
class Input:
    """A tensor to draw afresh for every run.

    Attributes:
        shape: its size in each dimension, or the constructor's argument that it is.
        kind: `normal` (float32), `integers` (int64, each in [0, high) where there is room) or
            `booleans`, of which half of the rows are true at each place.
        high: as a number, or the argument that it is.
        zeros: where integers are 0, as where a sentence has no word.
    """

    shape: tuple[int | str, ...]
    kind: Literal["normal", "integers", "booleans"] = "normal"
    high: int | str = 2
    zeros: tuple[tuple[int, ...], ...] = ()


@dataclass(frozen=True)
class Recipe:
    """The constructor's arguments, forward's inputs, and how closely to look.

    Attributes:
        thorough: audit the module as well: on every device and back, trained, saved and reloaded.
        measures_noise: where it draws random numbers, construct it dozens of times and call it
            hundreds of times, and compare their distribution with that of the solution's.
        inputs_stay: give it CPU inputs wherever it is, as a module that moves them itself wants.
        takes_device: whether its constructor takes a `device`, and does without one.
        most_rows: how many rows of its inputs may be on the GPU at a time, where not all would fit.
        grows: the dimension of its inputs that may be of any size, if there is one.
        learns_from: the output that a training step looks at; all of them, unless given.
        later: inputs of another size, such as a longer sequence, for a later call.
        filled: the buffers and frozen Parameters that get random values before a call, as every
            trainable Parameter does. What is not named keeps what the constructor gave it.
        other_arguments: another value of each, for one more instance, which shows whether the
            constructor uses them.
        loads_other: whether a checkpoint fits that has these, but for sizes of inputs.
        elsewhere: other places where it must work. `gpu`: built with `gpu=n` for each GPU, and on
            the CPU where the machine has no such GPU. `meta`: built without values, then given
            memory, `reset_parameters()` and a checkpoint. `unknown`: a device that is neither the
            CPU nor CUDA. `replica`: in a replica of `nn.DataParallel`.
        model: where the class stands for `nn.Module` itself, the last class below it in its file.
            The grader builds a model of its own on it, with the same arguments.
        nested: how the inputs are handed over: as arguments, or as one `batch` tuple.
    """

    arguments: dict[str, Any]
    inputs: tuple[Input, ...]
    thorough: bool = False
    measures_noise: bool = True
    inputs_stay: bool = False
    takes_device: bool = False
    most_rows: int | None = None
    grows: int | None = None
    learns_from: str = ""
    model: str = ""
    nested: bool = False
    later: tuple[Input, ...] = ()
    filled: tuple[str, ...] = ()
    other_arguments: dict[str, Any] | None = None
    loads_other: bool = False
    elsewhere: tuple[Place, ...] = ()

    @property
    def chooses_gpu(self) -> bool:
        """Whether the module itself picks the GPU that it is built for."""
        return "gpu" in self.elsewhere
