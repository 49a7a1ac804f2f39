"""Words that findings share."""

from __future__ import annotations

from grader.evidence import Raised

MOST_NAMES = 4


def count(number: int, noun: str) -> str:
    """`1 tensor`, `3 tensors`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def told(raised: Raised) -> str:
    """`TypeError in line 7: the first line of the message`; the second too, if it announces it."""
    place = f" in line {raised.line}" if raised.line else ""
    text = raised.message.replace("'CudaTensor' object", "'Tensor' object")  # as on a real GPU
    first, *rest = text.strip().splitlines() or [""]
    message = f"{first} {rest[0].strip()}" if first.endswith(":") and rest else first
    return f"{raised.type}{place}: {message}".removesuffix(": ")


def short(operation: str) -> str:
    """`masked_fill` for `torch.Tensor.masked_fill`."""
    return operation.rsplit(".", 1)[-1]


def on_device(device: str, wanted: str) -> bool:
    """Whether `device` is `wanted`; `cuda` means any index."""
    return device == wanted or (wanted == "cuda" and device.startswith("cuda:"))


def listed(names: list[str]) -> str:
    """The first few, and how many more there are."""
    told_of = ", ".join(f"`{name}`" for name in names[:MOST_NAMES])
    more = len(names) - MOST_NAMES
    return f"{told_of} and {more} more" if more > 0 else told_of
