"""Run the exam's modules and store what happens to each, in its file in grader/course/modules/.

A module raises if construction, `.cuda()`, the call or a training step does; the line is the
deepest one in its own file. It is silently wrong if none of them raises and the audit finds an
error all the same. A module whose checkpoint a new instance refuses has no place in the pool: no
answer says so.
"""

from __future__ import annotations

import json
import sys
import tempfile
import traceback
from collections.abc import Callable
from pathlib import Path

import msgspec
import torch
from torch import nn

from grader import simulated_cuda
from grader.auditing.one_module import audit
from grader.course.items import MODULES
from grader.course.items.item import Item
from grader.loading import import_file

MEASURED = "# Measured: python tools/refresh_exam.py\n"
WORKS, SILENT = "works", "silently wrong"
Inputs = Callable[[], tuple[torch.Tensor, ...]]


def raising_line(build: Callable[[], nn.Module], inputs: Inputs, path: Path) -> int:
    """The line on which moving and training on CUDA, or loading, raises; 0 if nothing does."""
    with simulated_cuda():
        try:
            _train(build, inputs)
        except Exception as error:
            frames = traceback.extract_tb(error.__traceback__)
            own = [frame.lineno or 0 for frame in frames if frame.filename == str(path)]
            if not own:
                raise
            return own[-1]
    return 0


def _train(build: Callable[[], nn.Module], inputs: Inputs) -> None:
    model = build().cuda()
    given = model(*(tensor.cuda() for tensor in inputs()))
    outputs = given if isinstance(given, tuple) else (given,)
    sum(output.sum() for output in outputs if output.requires_grad).backward()
    # SGD's step. PyTorch's optimizers import torch._dynamo, which takes longer than all modules.
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.grad is not None:
                parameter.sub_(parameter.grad, alpha=0.1)
    build().load_state_dict(model.state_dict())


def measured(path: Path) -> dict[str, str]:
    """What happens when the module of a file runs, and why."""
    item = msgspec.toml.decode(path.read_bytes(), type=Item)
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / f"{path.stem}.py"
        source.write_text(item.code, encoding="utf-8")
        module = import_file(source)
        build, inputs = getattr(module, item.class_name), module.example_input
        report = audit(build, inputs, device="simulated")
        line = raising_line(build, inputs, source)
    errors = [finding for finding in report.findings if finding.severity == "error"]
    outcome = f"raises on line {line}" if line else SILENT if errors else WORKS
    told = {"finding": errors[0].code, "why": errors[0].message} if errors else {}
    return {"outcome": outcome, **told}


def main() -> int:
    """Measure all of them, and write it at the end of each file."""
    for path in sorted(MODULES.glob("*.toml")):
        before, _, _ = path.read_text(encoding="utf-8").partition(MEASURED)
        # JSON's strings are TOML's basic ones.
        lines = (
            f"{name} = {json.dumps(value, ensure_ascii=False)}\n"
            for name, value in measured(path).items()
        )
        path.write_text(f"{before}{MEASURED}{''.join(lines)}", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
