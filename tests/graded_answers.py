"""Answers to exercise 04 with a piece of code added: what such code may do, and may not."""

import re
import textwrap
from pathlib import Path

PLACES = ("top", "body", "init", "forward", "end")
INDENT = {"body": 4, "init": 8, "forward": 8}
TEMPLATE = '''"""An answer to exercise 04."""
import torch
from torch import nn
{top}

class CenterScale(nn.Module):
{body}
    def __init__(self, features):
        super().__init__()
{state}
{init}

    def forward(self, x):
{forward}
        return (x - self.running_mean) * self.weight

{end}
'''
RIGHT = """\
self.weight = nn.Parameter(torch.ones(features))
self.register_buffer("running_mean", torch.zeros(features))
"""
# Parameter and buffer are exchanged; worth 3 of 6 points.
EXCHANGED = """\
self.register_buffer("weight", torch.ones(features))
self.running_mean = nn.Parameter(torch.zeros(features))
"""


def pieces(file: Path) -> dict[str, tuple[str, str]]:
    """The pieces of code in `file` by their names, each with its place."""
    found = re.split(r"^=== (.+) \((\w+)\)$", file.read_text(encoding="utf-8"), flags=re.M)[1:]
    names, places, codes = found[::3], found[1::3], found[2::3]
    return {n: (p, c.strip("\n")) for n, p, c in zip(names, places, codes, strict=True)}


def answer(state: str, place: str, code: str) -> str:
    """An answer whose constructor registers `state`, with `code` at `place`."""
    parts = dict.fromkeys(PLACES, "")
    parts[place] = textwrap.indent(code, " " * INDENT.get(place, 0))
    return TEMPLATE.format(state=textwrap.indent(state, " " * 8), **parts)
