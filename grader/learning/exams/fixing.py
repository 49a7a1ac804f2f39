"""Whether a fix is one: the audit finds no error, and the outputs are those of the right version.

Both versions get the same Parameter values before the call, by shape and not by name or order, so
that a learner may name and register them as they like.
"""

from __future__ import annotations

import re
import tempfile
from dataclasses import dataclass
from pathlib import Path

from msgspec.structs import replace

from grader.course import Module, class_name, fixed_source
from grader.errors import GraderError
from grader.judge import SourceFile, Sources, differences, judge_audit, run_of
from grader.loading import LoadingError, parse
from grader.probe import Limits
from grader.schema import Evidence, Finding, Phase

SEED = 20260
# An audit of 25 lines takes a few seconds, and PyTorch's import about as many on a slow machine.
LIMITS = Limits(seconds=60.0, cpu_seconds=20.0)
# Appended to the file, so that the line numbers stay. The inputs are the pool's, whatever the
# learner did to theirs. A lazy layer has no values before its first call.
CALLS = """

def _exam_module():
    import torch

    module = {name}()
    if any(torch.nn.parameter.is_lazy(parameter) for parameter in module.parameters()):
        module(*_exam_input())
    with torch.no_grad():
        for parameter in module.parameters():
            wave = torch.arange(parameter.numel(), dtype=torch.float32).add(1).sin()
            parameter.copy_(wave.reshape(parameter.shape))
    return module


def _exam_input():
    import torch

    torch.manual_seed({seed})
    return {inputs}
"""


class ExamError(GraderError, ValueError):
    """An exam cannot be taken, scored or verified as asked."""


@dataclass(frozen=True)
class LearnerFix:
    """How a fix was judged; `message` says what is still wrong."""

    passed: bool
    message: str = ""


def judge_fix(module: Module, source: str) -> LearnerFix:
    """Judge a learner's version of a module from the pool. It runs in a child process."""
    name = class_name(module.source)
    try:
        parse(source, Path(f"{module.name}.py"))
    except LoadingError as error:
        return LearnerFix(False, str(error))
    if source.strip() == module.source.strip():
        return LearnerFix(False, "It is unchanged.")
    evidence = _probe(module, source)
    report = judge_audit(evidence, name, sources=Sources(SourceFile(source)))
    errors = [finding for finding in report.findings if finding.severity == "error"]
    if errors:
        return LearnerFix(False, _message_with_line(errors[0]))
    if report.verdict != "passed":
        return LearnerFix(False, report.message)
    return _compared(evidence, _probe(module, fixed_source(module)))


def _message_with_line(error: Finding) -> str:
    """What is wrong, and on which line, unless the message says so itself."""
    is_told = re.search(rf"\bline {error.line}\b", error.message, re.IGNORECASE)
    return error.message if is_told or not error.line else f"Line {error.line}: {error.message}"


def _compared(mine: Evidence, right: Evidence) -> LearnerFix:
    got, expected = run_of(mine, Phase.CPU), run_of(right, Phase.CPU)
    if got is None or expected is None:
        raise ExamError(f"The call on the CPU was not reached: {mine.detail or right.detail}")
    if _is_random(right) and not _is_random(mine):
        return LearnerFix(
            False, "Its outputs are the same in every call; it should still draw noise."
        )
    # Another way to draw noise may give other numbers, and need not be wrong.
    random = tuple(output.path for output in expected.outputs) if right.random else ()
    outputs = tuple(replace(output, requires_grad=False) for output in expected.outputs)
    difference = next(differences(got.outputs, outputs, random), "")
    return LearnerFix(not difference, difference)


def _is_random(evidence: Evidence) -> bool:
    """Whether it draws from PyTorch's generator, or, call after call, from one of its own."""
    first, again = run_of(evidence, Phase.CPU), run_of(evidence, Phase.CPU_AGAIN)
    return evidence.random or bool(first and again and first.outputs != again.outputs)


def _probe(module: Module, source: str) -> Evidence:
    from grader.probe import Audit, RefusedError, probe_in_child

    calls = CALLS.format(name=class_name(module.source), seed=SEED, inputs=_inputs(module.source))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{module.name}.py"
        path.write_text(source.rstrip() + "\n" + calls, encoding="utf-8")
        task = Audit(path, "_exam_module", SEED, "simulated", "_exam_input")
        try:
            return probe_in_child(task, LIMITS)
        except RefusedError as error:
            raise ExamError(str(error)) from None


def _inputs(source: str) -> str:
    """The expression that the pool's `example_input` returns.

    Each file of the pool ends with that function, and the function with its one `return`, so the
    text after the file's last `return` is the expression (tests/course/exam/test_pool.py).
    """
    return source.rstrip().rpartition("    return ")[2]
