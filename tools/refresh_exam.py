"""Run the exam's modules and store what happens to each, in grader/course/exam/truth.json.

A module raises if construction, `.cuda()`, the call or a training step does; the line is the
deepest one in its own file. It is silently wrong if none of them raises and the audit finds an
error all the same. A module whose checkpoint a new instance refuses has no place in the pool: no
answer says so.
"""

from __future__ import annotations

import sys
import traceback
from pathlib import Path
from types import ModuleType

import msgspec
import torch

from grader import simulated_cuda
from grader.auditing.one_module import audit
from grader.course.exam.pool import HERE, SILENT, TRUTH, WORKS, Truth, class_name
from grader.loading import import_file


def raising_line(module: ModuleType, path: Path) -> int:
    """The line on which moving and training on CUDA, or loading, raises; 0 if nothing does."""
    with simulated_cuda():
        try:
            _train(module, path)
        except Exception as error:
            frames = traceback.extract_tb(error.__traceback__)
            own = [frame.lineno or 0 for frame in frames if frame.filename == str(path)]
            if not own:
                raise
            return own[-1]
    return 0


def _train(module: ModuleType, path: Path) -> None:
    build = getattr(module, class_name(path.read_text(encoding="utf-8")))
    model = build().cuda()
    given = model(*(tensor.cuda() for tensor in module.example_input()))
    outputs = given if isinstance(given, tuple) else (given,)
    sum(output.sum() for output in outputs if output.requires_grad).backward()
    # SGD's step. PyTorch's optimizers import torch._dynamo, which takes longer than all modules.
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.grad is not None:
                parameter.sub_(parameter.grad, alpha=0.1)
    build().load_state_dict(model.state_dict())


def measured(path: Path) -> Truth:
    """What happens when the module in a file runs."""
    module = import_file(path)
    report = audit(
        getattr(module, class_name(path.read_text(encoding="utf-8"))),
        module.example_input,
        device="simulated",
    )
    errors = [finding for finding in report.findings if finding.severity == "error"]
    line = raising_line(module, path)
    if not errors:
        return Truth(f"raises on line {line}" if line else WORKS)
    outcome = f"raises on line {line}" if line else SILENT
    return Truth(outcome, errors[0].code, errors[0].message, errors[0].fix)


def main() -> int:
    """Measure all of them."""
    truths = {path.stem: measured(path) for path in sorted((HERE / "modules").glob("*.py"))}
    TRUTH.write_bytes(msgspec.json.format(msgspec.json.encode(truths), indent=1) + b"\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
