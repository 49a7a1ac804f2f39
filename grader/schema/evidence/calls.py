"""The parts of a probe, the calls of the module within them, and what they gave."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from msgspec import Struct

from grader.schema.evidence.problems import Raised, Site
from grader.schema.evidence.values import Values


class Stage(StrEnum):
    """A part of a probe; the value is how a report names it: "during the first calls on CUDA"."""

    IMPORT = "import"
    CONSTRUCTION = "construction"
    # Of an exercise:
    MOVEMENT = "movement"
    EXECUTION = "execution"
    TRAINING = "training"
    CHECKPOINT = "checkpoint"
    FIRST_CALLS = "first calls"
    AUDIT = "audit"
    # Of an audit:
    CONSTRUCTION_ON_CUDA = "construction on CUDA"
    MOVE_TO_CUDA = "move to CUDA"
    IN_PLACE = "call on several GPUs"
    CPU_BASELINE = "first calls, on the CPU"
    DEVICE_MOVES = "calls on one device after another"
    CONTROL = "the same calls without a move"
    CALLS_ON_CUDA = "first calls on CUDA"
    CALL_WHERE_BUILT = "call where it was built, on CUDA"
    PART_OF_ANOTHER = "call as a part of another module"
    CONSTANTS = "calls with what looks like constants"
    SECOND_NAMES = "calls with a buffer under two names"
    REPLICA = "call as a replica of nn.DataParallel"
    FROM_META = "load into a module built on the meta device"
    TRAINING_AND_CHECKPOINT = "training and a checkpoint"
    TRAINING_ON_CUDA = "a training step on CUDA"
    RESUMED = "resumption on CUDA from a checkpoint"
    OPTIMIZERS = "step of an optimizer"


class Phase(StrEnum):
    """Which call of a module a run is: in eval mode, with the inputs where the module is.

    Where neither calls nor moves leave anything in a module, one call stands for several of these;
    the run's device is where it was made.
    """

    EXERCISE = ""  # one on the CPU, one on CUDA
    # Of an audit:
    CPU = "cpu"  # the first, where the module was built
    CPU_AGAIN = "again"  # the same instance, with the same seed
    MOVED = "moved"  # the same instance, moved to cuda:0
    MOVED_ON = "second"  # the same instance, moved to cuda:1
    MOVED_BACK = "back"  # the same instance, moved to the CPU
    CUDA = "cuda"  # a new instance, moved to cuda:0 before its first call
    TRAIN_MODE = "train"  # that one, in train mode
    HALF_BATCH = "half"  # that one, with half of the inputs
    CPU_INPUTS = "cpu_inputs"  # that one, with inputs on the CPU
    BUILT_ON_CUDA = "built"  # a new instance, built with `device="cuda:0"`
    HANDED_OUT = "handed_out"  # a new instance on CUDA, where its maker left it
    IN_PLACE = "in_place"  # a module with parts on several GPUs, where they are
    PART_OF_ANOTHER = "parent"  # a new instance, moved as the child of another module
    FROM_META = "meta"  # on the CPU, built on the meta device and loaded
    CHILDREN_MOVED = "children"  # a new instance, moved with the overridden `to` of its children
    RESUMED = "resumed"  # a new instance on cuda:0, into which a checkpoint from the CPU was loaded
    TRAINED = "trained"  # a new instance on cuda:1, in a step of training; gives no outputs
    REPLICA = "replica"  # where the module is not, as `nn.DataParallel` replicates it


AFTER_MOVES = (Phase.MOVED, Phase.MOVED_ON, Phase.MOVED_BACK)


class Output(Struct, frozen=True):
    """One leaf of what `forward` returned.

    Attributes:
        values: its numbers, or a sample of them; None where it has none to read.
        held_at: the attribute that it is, or was made from, on this device.
        made_by: the call it came out of; file and line: the learner's, of that call; code: its
            text.
        requires_grad: whether a gradient can come back through it.
        reaches: the Parameters and inputs that may get a gradient, where an exercise looks.
        gradients: how long each of these is, 0 if there is none.
        site: the expression of that call. earlier: whether it was in an earlier call of the module.
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
    reaches: tuple[str, ...] = ()
    gradients: Values | None = None
    site: Site | None = None
    earlier: bool = False


class Helped(Struct, frozen=True):
    """A call that had raised, made again with every misplaced tensor brought to its device.

    Attributes:
        met: each meeting of devices and misplaced tensor, as if the call had raised there.
        outputs: of the call, without numbers; None if it raised for another reason after all.
    """

    met: tuple[Raised, ...]
    outputs: tuple[Output, ...] | None = None


LeftOn = Literal["default device", "mode", "hook", "input"]  # what acts on a whole program


class Work(Struct, frozen=True):
    """Where a call computed, as far as a trace saw it.

    Attributes:
        on_gpu, on_cpu: how many floating-point operations were computed there, from tensors.
        weights_on_cpu: how many of those on the CPU took a Parameter that came from the GPU.
        left_gpu: file and number of the first line that took a tensor from the GPU to the CPU.
    """

    on_gpu: int = 0
    on_cpu: int = 0
    weights_on_cpu: int = 0
    left_gpu: tuple[str, int] = ("", 0)


class Run(Struct, frozen=True):
    """One call of the module, with module and inputs on `device`.

    Attributes:
        phase: which call it is.
        moved_inputs: how many of its inputs the module moved itself.
        asks_to_move: whether it asked to move a tensor, wherever that was.
        draws: whether it drew random numbers from the CPU's generator.
        work: where it computed.
        helped: what the call shows beyond the line where it raised because devices met.
    """

    device: str
    raised: Raised | None = None
    outputs: tuple[Output, ...] = ()
    phase: Phase = Phase.EXERCISE
    moved_inputs: int = 0
    helped: Helped | None = None
    asks_to_move: bool = False
    draws: bool = False
    work: Work = Work()

    @property
    def exceptions(self) -> tuple[Raised, ...]:
        """What stopped the call, and each meeting of devices that it was helped over."""
        stopped = (self.raised.origin,) if self.raised else ()
        return (*stopped, *(self.helped.met if self.helped else ()))

    @property
    def is_stopped(self) -> bool:
        """Whether it raised, and could not be helped to its end."""
        return self.raised is not None and (self.helped is None or self.helped.outputs is None)


class Baseline(Struct, frozen=True):
    """What the first calls on the CPU show: how else the module may be called.

    Attributes:
        calls: how many there were of one instance.
        needs_gradients: whether `forward` fails under `torch.no_grad`, as one that trains does.
        registers_late: whether the first call registered a tensor.
        given_numbers: whether it is given numbers and texts alone, none of which has a device.
    """

    calls: int = 0
    needs_gradients: bool = False
    registers_late: bool = False
    given_numbers: bool = False
