"""Answers to exercise 04 with a piece of code added: what such code may do, and may not."""

import re
import textwrap
from collections.abc import Iterable
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from grader.course.catalog import find
from grader.grading.grade import grade_file
from grader.probe.containment.sandbox import Level, Limits, best_level, probe_confined
from grader.probe.tasks import Task
from grader.schema.evidence import Evidence
from grader.schema.report import Report

RUBRIC = find("04")
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


def answer(state: str, section: str, code: str) -> str:
    """An answer whose constructor registers `state`, with `code` at `place`."""
    parts = dict.fromkeys(PLACES, "")
    parts[section] = textwrap.indent(code, " " * INDENT.get(section, 0))
    return TEMPLATE.format(state=textwrap.indent(state, " " * 8), **parts)


def in_turn(names: Iterable[str]) -> list[tuple[str, Level]]:
    """Each name at one level of isolation, in turn."""
    levels = list(Level)
    return [(name, levels[i % len(levels)]) for i, name in enumerate(names)]


def at_every_level(names: Iterable[str]) -> list[Any]:
    """Each name at one level of isolation, in turn; at the others among the slow tests."""
    quick = in_turn(names)
    others = [pair for pair in product(names, Level) if pair not in quick]
    return [*quick, *(pytest.param(*pair, marks=pytest.mark.slow) for pair in others)]


def graded_at(level: Level, file: Path, monkeypatch: pytest.MonkeyPatch) -> Report:
    """The report on an answer to exercise 04, probed at a level of isolation."""
    if best_level() < level:
        pytest.skip(f"this system reaches the isolation {best_level()} only")
    monkeypatch.setattr("grader.probe.containment.sandbox.levels.best_level", lambda: level)

    def probe(task: Task) -> Evidence:
        return probe_confined(task, Limits(), level).evidence

    return grade_file(RUBRIC, file, "simulated", probe=probe)
