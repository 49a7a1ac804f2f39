"""Words that checks, findings and reports share: phrases, notes, and advice on exceptions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import get_close_matches
from pathlib import PurePath

from grader.schema import Evidence, Operand, Raised

MOST_NAMES = 4
MOST_DIGITS = 17  # tell any two floating-point numbers of 64 bits apart
OWN_CELL = "<the cell>"
# Attributes that the course teaches: a learner may misspell one.
TAUGHT = (
    "add_module", "buffers", "clone", "cuda", "detach", "device", "dtype", "named_buffers",
    "named_parameters", "new_ones", "new_tensor", "new_zeros", "parameters", "register_buffer",
    "register_module", "register_parameter", "requires_grad", "requires_grad_", "shape",
    "state_dict",
)  # fmt: skip
OF_NN = r"(Buffer|Module\w*|Parameter\w*|Linear|LSTM|Sequential)"
# What to try, by a pattern of an exception that learners meet and that is no fault of a device.
ADVICE = (
    (
        r"AttributeError: '(?!Tensor)\w+' object has no attribute 'device'",
        "A module has no device of its own, only its tensors have: ask one of them, such as a "
        "layer's weight, for its `.device`",
    ),
    (
        r"StopIteration: .*parameters\(\)",
        "There are no Parameters to ask for their device here: ask the input for its `.device`",
    ),
    (
        r"Device index must not be negative|Invalid device string: 'cuda:-",
        "The CPU has no number: `get_device()` returns -1 there. A tensor's `.device` is right "
        "everywhere",
    ),
    (r"'module' object is not callable: .*\bnn\.parameter\(", "The class is `nn.Parameter`"),
    (rf"module 'torch' has no attribute '{OF_NN}'", "It is in `torch.nn`: `nn.{0}`"),
    (rf"name '{OF_NN}' is not defined", "It is in `torch.nn`: `nn.{0}`"),
)
# In PyTorch's messages on sizes that do not fit.
_OTHER_SIZE = re.compile(r"\bsizes? of\b|\bshapes?\b|\bexpanded size\b|must match|out of range")
_MISSING = re.compile(r"object has no attribute '(\w+)'")


def count(number: int, noun: str) -> str:
    """`1 tensor`, `3 tensors`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def in_file(line: int, file: str, here: str) -> str:
    """`line 7`, or `line 7 of net.py` where that is another file than `here`, if it is known."""
    if not file or file == here:
        return f"line {line}"
    if is_cell(file):
        return f"line {line} of {file.strip('<>') if file.startswith('<the') else 'another cell'}"
    return f"line {line} of {PurePath(file).name}"


def is_cell(file: str) -> bool:
    """Whether IPython, or `name_cells`, names a notebook's cell so."""
    return file.startswith("<") or "ipykernel_" in file


def own_file(file: str) -> str:
    """The file that an exercise's learner looks at, if `file` is in evidence: of cells, the own."""
    return OWN_CELL if is_cell(file) else file


def describe(raised: Raised, here: str | None = None) -> str:
    """`TypeError in line 7: message`, with the message cut to its first line.

    A first line that ends in a colon announces the second one, which is then added.

    Args:
        raised: what was raised.
        here: the file that the reader looks at, as evidence names it; that of the line or the own
            cell, unless given.
    """
    here = own_file(raised.file) if here is None else here
    where = f" in {in_file(raised.line, raised.file, here)}" if raised.line else ""
    text = raised.message.replace("'CudaTensor' object", "'Tensor' object")  # as on a real GPU
    first, *rest = text.strip().splitlines() or [""]
    message = f"{first} {rest[0].strip()}" if first.endswith(":") and rest else first
    return f"{raised.type}{where}: {message}".removesuffix(": ")


def apart(actual: float, expected: float, digits: int = 4) -> tuple[str, str]:
    """Both numbers with as many digits as tell them apart, `digits` at least."""
    texts = ((f"{actual:.{n}g}", f"{expected:.{n}g}") for n in range(digits, MOST_DIGITS + 1))
    return next((pair for pair in texts if pair[0] != pair[1]), (str(actual), str(expected)))


def op_name(operation: str) -> str:
    """`masked_fill` for `torch.Tensor.masked_fill`."""
    return operation.rpartition(".")[2]


def on_device(device: str, expected: str) -> bool:
    """Whether `device` (`cpu`, `cuda:1`, ...) is `expected`, where `cuda` means any index."""
    return device == expected or (expected == "cuda" and device.startswith("cuda:"))


def join_names(names: list[str]) -> str:
    """`` `a`, `b` and 3 more ``: at most `MOST_NAMES` names, and the number of the others."""
    shown = ", ".join(f"`{name}`" for name in names[:MOST_NAMES])
    more = len(names) - MOST_NAMES
    return f"{shown} and {more} more" if more > 0 else shown


def notes(evidence: Evidence) -> Iterator[str]:
    """What a reader of the report should know and no check or finding says."""
    if evidence.uncompiled:
        yield (
            "`torch.compile` does nothing on the simulated device: your code ran uncompiled. On a "
            "GPU it is compiled at the first call."
        )


def explained(raised: Raised) -> str:
    """The exception, and what to try then, if there is anything to say."""
    return f"{describe(raised)}{advice(raised)}"


def advice(raised: Raised) -> str:
    """A sentence to put behind the exception's own words; `""` if there is none to give."""
    text = f"{raised.type}: {raised.message}: {raised.code}"
    for pattern, words in ADVICE:
        if match := re.search(pattern, text):
            return f". {words.format(*match.groups())}"
    if kept := _kept_from_another_size(raised):
        made = f"{in_file(kept.line, kept.file, raised.file)} made in" if kept.line else "is from"
        return (
            f". `{kept.name or kept.code}` keeps what {made} an earlier call, for inputs of "
            "another size: ask for the size as well, before you use it again"
        )
    missing = _MISSING.search(raised.message)
    if missing is None or missing[1] in TAUGHT:
        return ""
    meant = get_close_matches(missing[1], TAUGHT, n=1, cutoff=0.8)
    return f". Do you mean `{meant[0]}`?" if meant else ""


def _kept_from_another_size(raised: Raised) -> Operand | None:
    """What an earlier call left, where sizes do not fit and devices do."""
    if not _OTHER_SIZE.search(raised.message) or len({o.device for o in raised.operands}) != 1:
        return None
    return next((o for o in raised.operands if o.earlier and not o.constructed), None)
