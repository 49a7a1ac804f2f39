"""The facts a probe wrote down about one module: plain data, the same after a trip through JSON.

A probe fills these in and decides nothing; a judge reads them and runs nothing. Nothing here
imports torch, so a judge's rule can be tested from an `Evidence` written by hand.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from grader.schema.evidence.calls import Baseline, LeftOn, Phase, Run, Stage
from grader.schema.evidence.initial_state import FirstCalls, Placement, State
from grader.schema.evidence.problems import Raised
from grader.schema.evidence.structure import Location, Materialised, Placed, Structure, TensorFact
from grader.schema.evidence.training import Checkpoint, Optimizer, Training

Ending = Literal["complete", "timeout", "crashed", "out_of_memory", "output_limit", "tampered"]


class Skipped(Struct, frozen=True):
    """Something that could not be looked at: in which stage, what, and why.

    Attributes:
        is_fault: whether the grader's own step raised; else there was no time for it.
        is_memory: whether it raised because an allocation failed.
    """

    stage: Stage
    what: str
    why: str
    is_fault: bool = False
    is_memory: bool = False

    def __str__(self) -> str:
        """`training and a checkpoint: 32 s were used up`."""
        return f"{self.what}: {self.why}"


class Refused(Struct, frozen=True):
    """Something that was refused to the learner's code, and the line that asked for it."""

    what: str
    line: int = 0


class Evidence(Struct, frozen=True):
    """All that one probe saw. A part that is None was not reached.

    Attributes:
        device: what was judged on: `cuda:0 (simulated)` or `cuda:0 (NVIDIA H200)`.
        detail: what is known of how it ended, where it did not complete.
        stage: the part of the probe that was last begun.
        undefined: why running the learner's file left no class behind.
        files: what the module is written in, as Python names these files.
        classes: those of the module and its children, by name and file; not PyTorch's.
        materialised: one built on the meta device and loaded, where the module is meant for that.
        controls: as many calls of an instance that stayed on the CPU; none if no move changed a
            number.
        broken: what the learner's code raised where no module should, such as in `state_dict`.
        seed: the inputs can be drawn again from it.
        first_calls: how a new instance behaves, with its own initial values.
        built: instances built on other devices, where an exercise's constructor takes one.
        elsewhere: calls in other places, where the exercise names some.
        baseline: how it may be called, as its first calls on the CPU show.
        random: whether the module's outputs depend on the random seed.
        counters: attributes that every call changes.
        left: the tensors of an exercise's module after a call on CUDA, or training there.
        rows: how many of the inputs were on the GPU at a time, with gradients and without, where an
            exercise limits them.
        left_on: what the learner's code left to the whole program, with its name: a default device,
            a mode or a hook that is on, or an exercise's input that a call changed.
        on_device: constructed with `device="cuda:0"`, where it takes a device; or as its maker left
            it on CUDA.
        parted: pairs of a plain attribute and the buffer whose memory it shares until a move, where
            training on CUDA leaves the two with different numbers.
        is_audited: whether an audit's steps were taken, where an exercise wants them too.
        cpu_training: an audit's, on the CPU. reloaded: its checkpoint, in a new instance.
        skipped: what could not be looked at.
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
    stage: Stage = Stage.IMPORT
    undefined: Raised | None = None
    construction: Raised | None = None
    broken: Raised | None = None
    structure: Structure | None = None
    movements: tuple[Placed, ...] = ()
    state: tuple[State, ...] = ()
    runs: tuple[Run, ...] = ()
    training: Training | None = None
    checkpoint: Checkpoint | None = None
    first_calls: FirstCalls | None = None
    built: tuple[Placed, ...] = ()
    elsewhere: tuple[Placement, ...] = ()
    baseline: Baseline = Baseline()
    random: bool = False
    counters: tuple[Location, ...] = ()
    left: tuple[TensorFact, ...] = ()
    rows: tuple[int, int] = (0, 0)
    left_on: tuple[tuple[LeftOn, str], ...] = ()
    on_device: Placed | None = None
    optimizers: tuple[Optimizer, ...] = ()
    parted: tuple[tuple[str, str], ...] = ()
    skipped: tuple[Skipped, ...] = ()
    is_audited: bool = False
    cpu_training: Training | None = None
    reloaded: Checkpoint | None = None
    printed: str = ""
    uncompiled: bool = False
    refused: tuple[Refused, ...] = ()
    constructions: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    classes: tuple[Location, ...] = ()
    controls: tuple[Run, ...] = ()
    materialised: Materialised | None = None

    @property
    def tensors(self) -> tuple[TensorFact, ...]:
        """The module's tensors as constructed; none if it was not."""
        return self.structure.tensors if self.structure else ()

    def run_of(self, phase: Phase) -> Run | None:
        """The run of that phase; None if there was none."""
        return next((run for run in self.runs if run.phase is phase), None)

    def with_runs(self, *runs: Run) -> Evidence:
        return replace(self, runs=(*self.runs, *runs))

    def without(
        self, what: str, why: str, *, is_fault: bool = False, is_memory: bool = False
    ) -> Evidence:
        """It, with something more that could not be looked at, in the stage of now."""
        skipped = Skipped(self.stage, what, why, is_fault, is_memory)
        return replace(self, skipped=(*self.skipped, skipped))
