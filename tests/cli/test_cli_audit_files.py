"""`grader audit` of a module whose classes are in several files: each line stands by its own."""

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

BASE = """\
import torch
from torch import nn


class Masked(nn.Module):
    def __init__(self):
        super().__init__()
        self.project = nn.Linear(3, 3)
        self.mask = torch.tensor([True, False, False])
"""
NET = """\
import torch
from base import Masked


class Net(Masked):
    def forward(self, x):
        return self.project(x).masked_fill(self.mask, 0.0)


def example_input():
    return (torch.randn(2, 3),)
"""
MADE = BASE.index("self.mask"), NET.index("masked_fill")
LINE, USED = BASE[: MADE[0]].count("\n") + 1, NET[: MADE[1]].count("\n") + 1


@pytest.fixture
def audit(grader, tmp_path, monkeypatch):
    """Writes both files and audits the class of the one that has only `forward`."""
    monkeypatch.chdir(tmp_path)
    Path("base.py").write_text(BASE, encoding="utf-8")
    Path("net.py").write_text(NET, encoding="utf-8")
    return lambda *options: grader("audit", "net.py:Net", *options)


def test_the_text_names_the_base_classs_file_and_quotes_its_line(audit):
    lines = [line.strip() for line in audit().out.splitlines()]

    assert lines[0] == "Audit of Net   net.py"
    at = lines.index(f"base.py:{LINE}")
    assert lines[at + 1] == "self.mask = torch.tensor([True, False, False])"
    assert f"line {USED} of net.py mixes it" in " ".join(lines)
    assert 'self.register_buffer("mask", torch.tensor([True' in " ".join(lines)


def test_json_has_file_and_line(audit):
    (found,) = json.loads(audit("--format", "json").out)["findings"]

    assert (found["file"], found["line"]) == ("base.py", LINE)
    (edit,) = found["edits"]
    assert edit["line"] == LINE


def test_junit_has_file_and_line(audit):
    (suite,) = ElementTree.fromstring(audit("--format", "junit").out)
    (case,) = suite

    assert (case.get("file"), case.get("line")) == ("base.py", str(LINE))
    assert case.find("failure").text.startswith(f"base.py, line {LINE}: ")


def test_github_marks_the_line_of_that_file(audit):
    assert audit("--format", "github").out.startswith(f"::error file=base.py,line={LINE},title=")


def test_sarif_has_the_address_and_the_line(audit):
    ended = audit("--format", "sarif")
    (result,) = json.loads(ended.out)["runs"][0]["results"]

    assert ended.status == 1
    physical = result["locations"][0]["physicalLocation"]
    assert physical["artifactLocation"]["uri"] == "base.py"
    assert physical["region"]["startLine"] == LINE


def test_an_exception_in_another_file_names_it(audit):
    broken = BASE.replace("self.mask =", "raise OSError('weights')\n        _ =")
    Path("base.py").write_text(broken, encoding="utf-8")

    ended = audit()

    assert ended.status == 2
    assert f"The constructor raised OSError in line {LINE} of base.py: weights" in ended.out


def test_a_helper_without_a_class_is_not_taken_for_the_modules_file(audit):
    helper = "import torch\n\ndef mask():\n    return torch.tensor([True, False, False])\n"
    Path("helper.py").write_text(helper, encoding="utf-8")
    text = BASE.replace("import torch\n", "import helper\n", 1)
    text = text.replace("torch.tensor([True, False, False])", "helper.mask()")
    Path("base.py").write_text(text, encoding="utf-8")

    (found,) = json.loads(audit("--format", "json").out)["findings"]

    assert (found["file"], found["line"]) == ("base.py", LINE)
    assert found["source_line"] == "self.mask = helper.mask()"


PROGRAM = """\
import argparse
import torch
from torch import nn

class Net(nn.Module):
    def forward(self, x):
        return x

from __main__ import Net as again
assert again is Net
parser = argparse.ArgumentParser()
parser.add_argument("--width", type=int, default=3)
width = parser.parse_args().width

def example_input():
    return torch.ones(2, width),
"""


def test_a_file_is_run_with_no_arguments_but_its_own_name(tmp_path, grader, monkeypatch):
    (tmp_path / "net.py").write_text(PROGRAM, encoding="utf-8")
    monkeypatch.setattr("sys.argv", ["grader", "audit", "--device", "simulated"])

    ended = grader("audit", tmp_path / "net.py")

    assert (ended.status, ended.err) == (0, "")
