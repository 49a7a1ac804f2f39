"""`grader audit --fix`: the changes that findings print as code, shown, made, and audited again."""

from pathlib import Path

import pytest

FAULTY = """\
import torch
from torch import nn


class Mixer(nn.Module):
    def __init__(self):
        super().__init__()
        self.mean = torch.ones(3)  # measured once
        self.head = nn.Linear(3, 3)
        self.layers = [nn.Linear(3, 3), nn.Linear(3, 3)]

    def forward(self, x):
        x = self.head(x) - self.mean
        for layer in self.layers:
            x = layer(x)
        return x + torch.randn(x.shape)
"""
CACHE = """\
class Cache:
    def __init__(self, n):
        self.state = torch.zeros(n)


class Mixer"""
OBJECTS = (
    FAULTY.replace("[nn.Linear(3, 3), nn.Linear(3, 3)]", "[Cache(3), Cache(3)]")
    .replace("x = layer(x)", "x = x + layer.state")
    .replace("class Mixer", CACHE)
)
FIXED = (
    FAULTY.replace(
        "self.mean = torch.ones(3)", 'self.register_buffer("mean", torch.ones(3), persistent=False)'
    )
    .replace(
        "[nn.Linear(3, 3), nn.Linear(3, 3)]", "nn.ModuleList([nn.Linear(3, 3), nn.Linear(3, 3)])"
    )
    .replace("x.shape)", "x.shape, device=x.device)")
)


@pytest.fixture
def fix(grader, tmp_path, monkeypatch):
    """Writes net.py and audits it with --fix."""
    monkeypatch.chdir(tmp_path)

    def run(source, *options):
        Path("net.py").write_bytes(source if isinstance(source, bytes) else source.encode())
        return grader("audit", "net.py", "--fix", *options)

    return run


def text():
    return Path("net.py").read_text(encoding="utf-8")


def test_all_that_is_code_is_changed_shown_and_audited_again(fix):
    ended = fix(FAULTY)

    assert text() == FIXED
    assert ended.status == 0
    assert "✓ CLEAN" in ended.out
    assert "-        self.mean = torch.ones(3)  # measured once\n" in ended.err
    assert "3 changes made." in ended.err


def test_a_program_reads_the_report_alone(fix):
    ended = fix(FAULTY, "--format", "json")

    assert ended.out.startswith("{")
    assert "+++ b/net.py" in ended.err


def test_a_clean_file_stays_as_it_is(fix):
    ended = fix(FIXED)

    assert text() == FIXED
    assert ended.status == 0
    assert "No change was made." in ended.err


def test_encoding_and_ends_of_lines_stay(fix):
    head = "# -*- coding: latin-1 -*-\n# gemessen in K\u00f6ln\n"
    fix((head + FAULTY).replace("\n", "\r\n").encode("latin-1"))

    assert Path("net.py").read_bytes() == (head + FIXED).replace("\n", "\r\n").encode("latin-1")


def test_what_does_not_work_is_neither_printed_as_code_nor_made(fix):
    ended = fix(OBJECTS)

    assert ended.status == 1
    assert "ModuleList(" not in ended.out
    assert "[Cache(3)" in text()
    assert 'register_buffer("mean"' in text()


def test_files_elsewhere_are_left_alone(fix, tmp_path, monkeypatch):
    Path("base.py").write_text(FAULTY)
    folder = tmp_path / "project"
    folder.mkdir()
    monkeypatch.chdir(folder)

    ended = fix(
        "import sys\nsys.path.insert(0, '..')\nfrom base import Mixer\n\n\nclass Net(Mixer): pass\n"
    )

    assert ended.status == 1
    assert "No change was made." in ended.err
    assert (tmp_path / "base.py").read_text() == FAULTY
