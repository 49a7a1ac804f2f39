"""`make demo`: the README's bug, played in a terminal, with its real error, report and fix."""

import runpy
from io import StringIO
from pathlib import Path

from rich.console import Console

import grader

DEMO = runpy.run_path(str(Path(grader.__file__).parent.parent / "tools" / "demo.py"))


def test_it_shows_the_error_the_report_the_fix_and_the_run_that_works():
    console = Console(width=120, file=StringIO())
    DEMO["play"](console, seconds=0)
    parts = [
        "self.mean = torch.tensor(mean)",
        "RuntimeError: Expected all tensors to be on the same device",
        "normalizer.py:8",
        '+ self.register_buffer("mean", torch.tensor(mean))',
        "a tensor of shape (8, 1) on cuda:0",
        "CLEAN",
    ]
    shown = console.file.getvalue()

    assert sorted(parts, key=shown.index) == parts


def test_it_is_watched_in_a_terminal_only(capsys):
    DEMO["main"]()

    assert capsys.readouterr().out == "The demo is to be watched: run `make demo` in a terminal.\n"
