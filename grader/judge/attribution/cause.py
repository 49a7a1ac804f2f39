"""Why a tensor is on the wrong device, or not registered: as data."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto

from grader.judge.codes import Code
from grader.judge.wording import in_file
from grader.schema import Raised, Site, Source, TensorFact


class Shown(Enum):
    """How a fault came to light."""

    CALL = auto()  # a call raised, or its result is on another device
    UNTRACED = auto()  # a call raised for its devices, and nothing tells whose tensor it was
    GRADIENT = auto()  # a training step gave a gradient to what `parameters()` does not list
    NUMBERS = auto()  # after a move, the module gives other numbers
    PARENT = auto()  # as another module's child, or on the way back, it does not move whole
    RELOAD = auto()  # a fresh module that loads the state_dict gives other numbers
    PARTED = auto()  # after a move, what belonged together does not: ties, an optimizer's state
    HELD = auto()  # the module holds it; nothing need have gone wrong yet


class How(Enum):
    """How the tensor got where it is, where findings of one code are worded differently for it."""

    HELD = auto()  # the module holds it, since it was constructed
    IMPORTED = auto()  # made when the file was imported
    ALIAS = auto()  # a second name for a registered tensor
    REMEMBERED = auto()  # put on a device that an attribute remembers
    CACHED = auto()  # made by an earlier call
    CALLED_BEFORE = auto()  # the same, where a module that is moved first works
    MADE = auto()  # made by this call
    FORGOTTEN = auto()  # registered, and an overridden method does not move it
    UNSORTED = auto()  # an ordinary attribute, where PyTorch's `__setattr__` would register it
    OF_ITS_OWN = auto()  # on a device that a module keeps, whose method to move is overridden
    NOT_CALLED = auto()  # moved by a method that a parent does not call
    PARTS = auto()  # of one part of the module, which is on several GPUs, where another is
    HANDED_OUT = auto()  # added to a module that was on CUDA already
    LOADED = auto()  # taken from a checkpoint that was on another device
    SCRIPTED = auto()  # met in TorchScript, whose operators no trace sees
    TRAINED = auto()  # met in a step of training, in backward perhaps
    LENGTHS = auto()  # the lengths of packed sequences, which went along with the batch


@dataclass(frozen=True)
class Cause:
    """One tensor on the wrong device, or unregistered, and what is known of it.

    Attributes:
        path: the path, call or line at fault. line: the learner's line, 0 if unknown. file: that
            it is in.
        name: the attribute, input or call that the tensor came from, `""` if unknown.
        device: where the tensor is. expected: where the call was.
        used_line, used_file: the line that used it. operation: the torch operation that it ran.
        result: the path of the output that is on the wrong device, `""` if it is an operand.
        holder: the type of what hides it from `Module.to`.
        original: the registered tensor that it is a second name or a copy of.
        group: the tensor as the module holds it, and others that the same holder hides.
        raised: the exception, where no more than that is known.
        moved_code: the text of the line that moved it, where the result was not used.
        saved: False where the exercise wants it left out of the checkpoint.
        device_of: whose device is the module's, in words.
        site: the expression that made, moved or used it.
    """

    code: Code
    path: str
    line: int
    shown: Shown = Shown.CALL
    how: How = How.HELD
    name: str = ""
    source: Source = "unknown"
    device: str = ""
    expected: str = ""
    used_line: int = 0
    operation: str = ""
    result: str = ""
    holder: str = ""
    original: str = ""
    group: tuple[TensorFact, ...] = ()
    raised: Raised | None = None
    moved_code: str = ""
    file: str = ""
    used_file: str = ""
    saved: bool = True
    device_of: str = "the input's, or a Parameter's"
    site: Site | None = None

    @property
    def used(self) -> str:
        """The line that used it, in words: `line 7`, or `line 7 of net.py` if that is elsewhere."""
        return in_file(self.used_line, self.used_file, self.file)
