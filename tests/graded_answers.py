"""Answers to exercise 04 with a piece of code added: what such code may do, and may not."""

import re
import textwrap
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from grader.course.catalog import find
from grader.grading.grade import grade_file
from grader.probe.containment.sandbox import Level, Limits, best_level, probe_confined
from grader.probe.tasks import Task
from grader.schema import Evidence
from grader.schema.report import Report

RUBRIC = find("04")
ATTACKS = Path(__file__).parent / "hostile" / "attacks.txt"
PLACES = ("top", "body", "init", "forward", "end")
INDENT = {"body": 4, "init": 8, "forward": 8}
IMPORTS = "import torch\nfrom torch import nn\n"
TEMPLATE = f'''"""An answer to exercise 04."""
{IMPORTS}
{{top}}

class CenterScale(nn.Module):
{{body}}
    def __init__(self, features):
        super().__init__()
{{state}}
{{init}}

    def forward(self, x):
{{forward}}
        return (x - self.running_mean) * self.weight

{{end}}
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


def pieces(file: Path) -> dict[str, dict[str, str]]:
    """The pieces of code in `file` by their names, each at its place."""
    found = re.split(r"^=== (.+) \((\w+)\)$", file.read_text(encoding="utf-8"), flags=re.M)[1:]
    names, places, codes = found[::3], found[1::3], found[2::3]
    return {n: {p: c.strip("\n")} for n, p, c in zip(names, places, codes, strict=True)}


def answer(state: str, **code: str) -> str:
    """An answer whose constructor registers `state`, with code at its `PLACES`."""
    parts = {p: textwrap.indent(code.get(p, ""), " " * INDENT.get(p, 0)) for p in PLACES}
    return TEMPLATE.format(state=textwrap.indent(state, " " * 8), **parts)


@dataclass(frozen=True)
class Attack:
    """A whole answer, and what is said of it: its verdict, and what it is worth (`honest`)."""

    expected: dict[str, str]
    text: str


def attacks(file: Path = ATTACKS) -> dict[str, Attack]:
    """The answers in `file` by their names."""
    found = re.split(r"^=== (.+) \((.+)\)$", file.read_text(encoding="utf-8"), flags=re.M)[1:]
    return {
        name: _attack(dict(re.findall(r"(\w+): ([^,]+)", header)), code.strip("\n"))
        for name, header, code in zip(found[::3], found[1::3], found[2::3], strict=True)
    }


def _attack(expected: dict[str, str], code: str) -> Attack:
    top, *others = re.split(r"^--- (\w+)$\n", code, flags=re.M)
    parts = {p: c.strip("\n") for p, c in zip(others[::2], others[1::2], strict=True)}
    if "whole" in parts:
        return Attack(expected, f"{IMPORTS}\n{top}{parts['whole']}\n")
    state = RIGHT if expected.get("state") == "right" else EXCHANGED
    return Attack(expected, answer(state, top=top, **parts))


def in_turn(names: Iterable[str]) -> list[tuple[str, Level]]:
    """Each name at one level of isolation, in turn."""
    levels = list(Level)
    return [(name, levels[i % len(levels)]) for i, name in enumerate(names)]


def at_every_level(names: Iterable[str]) -> list[Any]:
    """Each name at one level of isolation, in turn; at the others as a search."""
    always = in_turn(names)
    others = [pair for pair in product(names, Level) if pair not in always]
    return [*always, *(pytest.param(*pair, marks=pytest.mark.search) for pair in others)]


def graded_at(level: Level, file: Path, monkeypatch: pytest.MonkeyPatch) -> Report:
    """The report on an answer to exercise 04, probed at a level of isolation."""
    if best_level() < level:
        pytest.skip(f"this system reaches the isolation {best_level()} only")
    monkeypatch.setattr("grader.probe.containment.sandbox.levels.best_level", lambda: level)

    def probe(task: Task) -> Evidence:
        return probe_confined(task, Limits(), level).evidence

    return grade_file(RUBRIC, file, "simulated", probe=probe)
