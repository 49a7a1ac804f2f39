"""Play the README's bug in a terminal: the error, the report, the fix, and the run that works.

Nothing is written down beforehand: the module runs on CUDA or the simulated device, and the fix is
the report's.
"""

import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from rich.console import Console, RenderableType
from rich.syntax import Syntax
from rich.text import Text

from grader.auditing import audit_file
from grader.judge.fixes import apply_edits
from grader.probe import cuda_device
from grader.render import render_text
from grader.schema import Report

BUG = """import torch
from torch import nn


class Normalizer(nn.Module):
    def __init__(self, mean=(0.5,), std=(2.0,)):
        super().__init__()
        self.mean = torch.tensor(mean)
        self.std = torch.tensor(std)

    def forward(self, batch):
        return (batch - self.mean) / self.std


def example_input():
    return torch.rand(8, 1)
"""
CALL = "Normalizer().cuda()(batch.cuda())"
SECONDS = 1.6  # to read a part


def main() -> None:
    if not sys.stdout.isatty():
        print("The demo is to be watched: run `make demo` in a terminal.")
        return
    play(Console(highlight=False), SECONDS)


def play(console: Console, seconds: float) -> None:
    """Show it part by part, each for that long."""

    def show(*parts: RenderableType) -> None:
        for part in parts:
            console.print(part)
        time.sleep(seconds)

    show(Text("A module that works on the CPU:\n", style="bold"), _code(BUG.rstrip()))
    failing = _audit(BUG)
    show(_prompt(CALL), Text(_run(BUG), style="red"))
    show(_prompt("grader audit normalizer.py"), render_text(failing))
    fixed = _fixed(failing)
    show(Text("The fix, as the report says:\n", style="bold"), *_changes(fixed))
    show(_prompt(CALL), Text(_run(fixed), style="green"), render_text(_audit(fixed)))


def _run(source: str) -> str:
    """What the call gives, or PyTorch's message."""
    names: dict[str, Any] = {}
    with cuda_device("auto"):
        exec(source, names)
        try:
            output = names["Normalizer"]().cuda()(names["example_input"]().cuda())
        except RuntimeError as error:
            return f"RuntimeError: {error}"
        return f"a tensor of shape {tuple(output.shape)} on {output.device}"


def _audit(source: str) -> Report:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "normalizer.py"
        path.write_text(source, encoding="utf-8")
        return replace(audit_file(path), source=path.name)


def _fixed(report: Report) -> str:
    return apply_edits(BUG, [edit for finding in report.findings for edit in finding.edits])


def _changes(fixed: str) -> list[Text]:
    before, after = BUG.splitlines(), fixed.splitlines()
    gone = [Text(f"- {line.strip()}", style="red") for line in before if line not in after]
    new = [Text(f"+ {line.strip()}", style="green") for line in after if line not in before]
    return gone + new


def _prompt(command: str) -> Text:
    return Text(f"\n>>> {command}", style="bold cyan")


def _code(source: str) -> Syntax:
    return Syntax(source, "python", theme="ansi_dark", line_numbers=True)


if __name__ == "__main__":
    main()
