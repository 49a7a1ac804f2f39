"""What the learner's code raised, and the tensors that met there."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

Span = tuple[int, int, int, int]  # first line, column, last line, column; in bytes, as `ast` counts
Scope = tuple[tuple[str, str], ...]  # source text of tensors, each with its device
Source = Literal["attribute", "global", "input", "made", "unknown"]


class Site(Struct, frozen=True):
    """An expression of the learner's that was evaluated.

    Attributes:
        function: that it is in. owner: the class, or function, around that; `""` if there is none.
        scope: the tensors that could be named there: arguments, what `self` registers, other names.
        named: the source text of what named the device of what it gave, `""` if nothing did.
        is_current: whether that was CUDA without a number: a name, and no tensor's device.
    """

    file: str
    span: Span
    function: str = ""
    owner: str = ""
    scope: Scope = ()
    named: str = ""
    is_current: bool = False


class Operand(Struct, frozen=True):
    """One tensor that went into an operation which raised.

    Attributes:
        source: where its data came from, followed back through views and arithmetic.
        name: the attribute (`self.mask`), the input (`batch[0]`) or the call (`torch.randn`).
        line: the learner's line that made it, 0 if unknown. file: that it is in, as Python names
            it; `""` if unknown. code: that line's text.
        earlier: whether an earlier call of the module made it, or none.
        constructed: whether it was made before any call.
        moved_line, moved_file: a line that moved it, 0 if there is none. moved_code: its text.
        moved_in_place: whether that moved it itself, as `Module.cuda` does; else what the line
            gave was not what was used.
        is_parameter: whether it is an `nn.Parameter`.
        in_loss: whether it belongs to a loss function.
        site: the expression that made it. moved_at: the one that moved it.
    """

    device: str
    shape: tuple[int, ...] = ()
    source: Source = "unknown"
    name: str = ""
    line: int = 0
    code: str = ""
    earlier: bool = False
    constructed: bool = False
    moved_line: int = 0
    moved_in_place: bool = False
    is_parameter: bool = False
    in_loss: bool = False
    file: str = ""
    moved_file: str = ""
    moved_code: str = ""
    site: Site | None = None
    moved_at: Site | None = None


# The `operation` of the problem that a constructor never calls it.
SUPER_INIT = "super().__init__()"
# The types of exceptions, and the beginnings of PyTorch's and the system's own messages.
NO_MEMORY = ("MemoryError", "OutOfMemoryError")
NO_MEMORY_TEXTS = ("can't allocate memory", "CUDA out of memory", "Cannot allocate memory")


class Raised(Struct, frozen=True):
    """An exception that left the learner's code, or a problem that the probe found by itself.

    Attributes:
        type: the exception's class, `""` of a problem.
        line: the deepest line of the learner's own files on the way to it, 0 if there is none.
        file: that it is in, as Python names it. code: that line's text.
        operation: the torch operation that raised it, `""` if none did.
        behind: what an operation had raised before, where the code caught that and raised this.
        site: the expression of that line.
    """

    type: str
    message: str
    line: int = 0
    code: str = ""
    operation: str = ""
    operands: tuple[Operand, ...] = ()
    file: str = ""
    behind: Raised | None = None
    site: Site | None = None

    @classmethod
    def problem(cls, message: str, line: int = 0, operation: str = "") -> Raised:
        """What the probe says by itself; `message` is told to the learner as it is."""
        return cls("", message, line, operation=operation)

    @property
    def origin(self) -> Raised:
        """What the operation raised that all began with; itself, if there is none behind it."""
        return self.behind or self

    @property
    def is_exception(self) -> bool:
        """Whether it was raised; else it is a problem."""
        return bool(self.type)

    @property
    def is_out_of_memory(self) -> bool:
        """Whether an allocation failed: in Python, in PyTorch on the CPU, or on CUDA."""
        return self.type in NO_MEMORY or any(text in self.message for text in NO_MEMORY_TEXTS)
