"""Whether a fix is one: the audit finds no error, and the outputs are those of the right version.

What is trained gets the same values in both versions before the call, by shape and not by name or
order, so that a learner may name and register it as they like.
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
from grader.schema import Evidence, Finding, Phase, Report, nearly_equal

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
        for parameter in filter(lambda p: p.requires_grad, module.parameters()):
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
    try:
        parse(source, Path(f"{module.name}.py"))
    except LoadingError as error:
        return LearnerFix(False, str(error))
    if source.strip() == module.source.strip():
        return LearnerFix(False, "It is unchanged.")
    name, inputs = class_name(module.source), _inputs(module.source)
    evidence = probe_source(source, name, inputs)
    report = report_on(evidence, name, source)
    errors = [finding for finding in report.findings if finding.severity == "error"]
    if errors:
        return LearnerFix(False, message_with_line(errors[0]))
    if report.verdict != "passed":
        return LearnerFix(False, report.message)
    difference = output_difference(evidence, probe_source(fixed_source(module), name, inputs))
    return LearnerFix(not difference, difference)


def report_on(evidence: Evidence, name: str, source: str) -> Report:
    """The audit's report on a class that `probe_source` probed."""
    return judge_audit(evidence, name, sources=Sources(SourceFile(source)))


def message_with_line(error: Finding) -> str:
    """What is wrong, and on which line, unless the message says so itself."""
    is_told = re.search(rf"\bline {error.line}\b", error.message, re.IGNORECASE)
    return error.message if is_told or not error.line else f"Line {error.line}: {error.message}"


def output_difference(mine: Evidence, right: Evidence) -> str:
    """How the outputs of a version differ from those of the right one; `""` if they do not."""
    got, expected = run_of(mine, Phase.CPU), run_of(right, Phase.CPU)
    if got is None or expected is None:
        raise ExamError(f"The call on the CPU was not reached: {mine.detail or right.detail}")
    if _is_random(right) and not _is_random(mine):
        return "Its outputs are the same in every call; it should still draw noise."
    if _changes(mine) and not _is_random(right):
        return "Its outputs change from call to call, and those of the right version do not."
    # Another way to draw noise may give other numbers, and need not be wrong.
    random = tuple(output.path for output in expected.outputs) if right.random else ()
    outputs = tuple(replace(output, requires_grad=False) for output in expected.outputs)
    return next(differences(got.outputs, outputs, random), "")


def _is_random(evidence: Evidence) -> bool:
    """Whether it draws from PyTorch's generator, or, call after call, from one of its own."""
    return evidence.random or _changes(evidence)


def _changes(evidence: Evidence) -> bool:
    """Whether a second call with the same inputs gives other outputs than the first."""
    first, again = run_of(evidence, Phase.CPU), run_of(evidence, Phase.CPU_AGAIN)
    return bool(first and again and not nearly_equal(again.outputs, first.outputs))


def probe_source(source: str, name: str, inputs: str) -> Evidence:
    """Audit a class in a child process.

    Args:
        source: the file that defines it.
        name: the class; its constructor needs no arguments.
        inputs: the expression that gives the arguments of `forward` as a tuple.

    Raises:
        ExamError: nothing can be said about it.
    """
    from grader.probe import Audit, RefusedError, probe_in_child

    calls = CALLS.format(name=name, seed=SEED, inputs=inputs)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "learners_module.py"
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
