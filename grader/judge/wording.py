"""Phrases that checks and findings share."""

from __future__ import annotations

from pathlib import PurePath

from grader.schema import Raised

MOST_NAMES = 4


def count(number: int, noun: str) -> str:
    """`1 tensor`, `3 tensors`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def in_file(line: int, file: str, here: str) -> str:
    """`line 7`, or `line 7 of net.py` where that is another file than `here`, if it is known."""
    if not file or file == here:
        return f"line {line}"
    is_cell = file.startswith("<") or "ipykernel_" in file  # how IPython names what a cell holds
    return f"line {line} of {'another cell' if is_cell else PurePath(file).name}"


def describe(raised: Raised, here: str | None = None) -> str:
    """`TypeError in line 7: message`, with the message cut to its first line.

    A first line that ends in a colon announces the second one, which is then added.

    Args:
        raised: what was raised.
        here: the file that the reader looks at, as evidence names it; that of the line, unless
            given.
    """
    here = raised.file if here is None else here
    where = f" in {in_file(raised.line, raised.file, here)}" if raised.line else ""
    text = raised.message.replace("'CudaTensor' object", "'Tensor' object")  # as on a real GPU
    first, *rest = text.strip().splitlines() or [""]
    message = f"{first} {rest[0].strip()}" if first.endswith(":") and rest else first
    return f"{raised.type}{where}: {message}".removesuffix(": ")


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
