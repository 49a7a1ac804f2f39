"""Modules with several faults, or with one among computations on the CPU that are meant.

A comment says which fault a line has. The first report names those and nothing else, and it still
holds after each fix.
"""

import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from types import FunctionType

import pytest
import torch
from pasting import loaded
from test_every_fault import errors, surprises
from torch import nn

from grader.auditing.one_module import audit
from grader.schema.report import Report

HERE = Path(__file__).resolve().parent / "several_faults"
DECLARED = re.compile(r"fault: ([\w-]+)")
MODULES = [
    pytest.param(path, name, id=name)
    for path in sorted(HERE.glob("*.py"))
    for name in re.findall(r"^class (\w+)\(nn\.Module\)", path.read_text("utf-8"), re.MULTILINE)
]


def declared(source: type | FunctionType) -> Iterator[tuple[str, int]]:
    """The faults of a class, and of the classes and functions of its file that it names."""
    lines, start = inspect.getsourcelines(source)
    for number, line in enumerate(lines, start):
        yield from ((code, number) for code in DECLARED.findall(line))
    file = vars(inspect.getmodule(source))
    for name in set(re.findall(r"\w+", "".join(lines))) - {source.__name__}:
        other = file.get(name)
        if isinstance(other, type | FunctionType) and other.__module__ == source.__module__:
            yield from declared(other)


def audited(path: Path, name: str, folder: Path, text: str) -> tuple[type[nn.Module], Report]:
    cls = getattr(loaded(text, folder), name)
    inputs = getattr(cls, "example_input", (torch.randn(4, 8),))
    return cls, audit(cls, inputs, "simulated")


@pytest.mark.search
@pytest.mark.parametrize(("path", "name"), MODULES)
def test_each_fault_is_told_and_nothing_else(path, name, tmp_path):
    text = path.read_text(encoding="utf-8")

    cls, report = audited(path, name, tmp_path, text)

    found = sorted((finding.code, finding.line) for finding in errors(report))
    assert found == sorted(declared(cls))
    assert surprises(text, lambda text: audited(path, name, tmp_path, text)[1]) == []
