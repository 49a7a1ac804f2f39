"""How a device and a registration are told: by a letter, a word, a line and a colour."""

from __future__ import annotations

REGISTERED, STRAY = "●", "○"
DEVICES = ("cuda:0", "cuda:1", "cpu")  # where the buttons move a copy
LINES = {"cpu": "dotted", "cuda:0": "solid", "cuda:1": "double"}
LEGEND = (
    f"{REGISTERED} registered: a move of the module takes it along    "
    f"{STRAY} not registered: a move leaves it behind"
)


def letter(device: str) -> str:
    """`C` for the CPU, `G0` for the first GPU, else the first letter."""
    kind, _, number = device.partition(":")
    return f"G{number}" if kind == "cuda" else kind[:1].upper()


def line(device: str) -> str:
    """The line around it."""
    return LINES.get(device, "dashed")


def look(device: str) -> str:
    """The class that colours it: `cpu`, `cuda-0`, `cuda-1` or `other`."""
    return device.replace(":", "-") if device in LINES else "other"


def sign(registered: bool) -> str:
    """A full dot for what is registered, an empty one for what is not."""
    return REGISTERED if registered else STRAY
