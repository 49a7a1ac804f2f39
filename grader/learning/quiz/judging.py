"""Whether a change is right: the audit, the outputs, the checkpoint, then the item's rule.

What is trained gets the same values in both versions before the call, by shape and not by name or
order, so that a learner may name and register it as they like.
"""

from __future__ import annotations

import re
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from msgspec.structs import replace

from grader.course import Item
from grader.errors import GraderError
from grader.judge import SourceFile, Sources, differences, judge_audit
from grader.loading import LoadingError, parse
from grader.probe import Limits
from grader.schema import Evidence, Finding, Phase, nearly_equal

SEED = 20260
# An audit of 25 lines takes a few seconds, and PyTorch's import about as many on a slow machine.
LIMITS = Limits(seconds=60.0, cpu_seconds=20.0)
# Appended to the file, so that the line numbers stay. The inputs are the item's, whatever the
# learner did to theirs. A lazy layer has no values before its first call.
CALLS = """

def _quiz_module():
    import torch

    module = {name}()
    if any(torch.nn.parameter.is_lazy(parameter) for parameter in module.parameters()):
        module(*_quiz_input())
    with torch.no_grad():
        for parameter in filter(lambda p: p.requires_grad, module.parameters()):
            wave = torch.arange(parameter.numel(), dtype=torch.float32).add(1).sin()
            parameter.copy_(wave.reshape(parameter.shape))
    return module


def _quiz_input():
    import torch

    torch.manual_seed({seed})
    return ({inputs},)
"""


class JudgingError(GraderError, ValueError):
    """Nothing can be said about a version."""


@dataclass(frozen=True)
class Verdict:
    """How a version was judged.

    Attributes:
        failed_by: a finding's code, or `output`, `trained`, `keys`, `rule` or `raises`; `""` if it
            is right.
        message: what is still wrong.
        evidence: what the probe saw; None if the code did not run.
    """

    failed_by: str = ""
    message: str = ""
    evidence: Evidence | None = None


def judge(item: Item, source: str) -> Verdict:
    """Judge a version of an item's code. It runs in a child process.

    Raises:
        JudgingError: nothing can be said about it.
    """
    try:
        parse(source, Path(f"{item.key}.py"))
    except LoadingError as error:
        return Verdict("raises", str(error))
    evidence = _probe(item, source)
    failed_by, message = _fault(item, source, evidence)
    if failed_by and (known := item.known_mistake(source)):
        message = known.why
    return Verdict(failed_by, message, evidence)


def _fault(item: Item, source: str, evidence: Evidence) -> tuple[str, str]:
    """What is wrong, as `Verdict` has it, or two empty strings."""
    report = judge_audit(evidence, item.class_name, sources=Sources(SourceFile(source)))
    for found in report.findings:
        if found.severity == "error" or found.code == item.finding:
            return found.code, _with_line(found)
    if report.verdict != "passed":
        return "raises", report.message
    right = _probe(item, item.fixed)
    if _trained(evidence) != _trained(right):
        return "trained", "An optimizer would now train other tensors than it should."
    if difference := _output_difference(evidence, right):
        return "output", difference
    if _is_on_cuda(evidence) != _is_on_cuda(right):
        return "output", "Called on CUDA, it gives something that is on the CPU."
    keys = evidence.structure.state_keys if evidence.structure else ()
    if item.keys is not None and set(keys) != set(item.keys):
        held = ", ".join(f"`{key}`" for key in keys) or "nothing"
        return "keys", f"`state_dict()` now holds {held}."
    broken = item.broken_rule(source)
    return ("rule", broken) if broken else ("", "")


def _with_line(error: Finding) -> str:
    """What is wrong, and on which line, unless the message says so itself."""
    is_told = re.search(rf"\bline {error.line}\b", error.message, re.IGNORECASE)
    return error.message if is_told or not error.line else f"Line {error.line}: {error.message}"


def _output_difference(mine: Evidence, right: Evidence) -> str:
    """How the outputs of a version differ from those of the right one; `""` if they do not."""
    got, expected = mine.run_of(Phase.CPU), right.run_of(Phase.CPU)
    if got is None or expected is None:
        raise JudgingError(f"The call on the CPU was not reached: {mine.detail or right.detail}")
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
    first, again = evidence.run_of(Phase.CPU), evidence.run_of(Phase.CPU_AGAIN)
    return bool(first and again and not nearly_equal(again.outputs, first.outputs))


def _trained(evidence: Evidence) -> list[tuple[int, ...]]:
    """The shapes of what an optimizer gets, each Parameter once, whatever its name."""
    shapes = {
        fact.identity: fact.shape
        for fact in evidence.tensors
        if fact.role == "parameter" and fact.requires_grad
    }
    return sorted(shapes.values())


def _is_on_cuda(evidence: Evidence) -> list[bool]:
    """Of each output of a call on CUDA, whether it is there."""
    run = evidence.run_of(Phase.CUDA)
    return [output.device.startswith("cuda") for output in run.outputs] if run else []


@cache
def _probe(item: Item, source: str) -> Evidence:
    """Audit a version of the code in a child process.

    Raises:
        JudgingError: nothing can be said about it.
    """
    from grader.probe import Audit, RefusedError, probe_in_child

    calls = CALLS.format(name=item.class_name, seed=SEED, inputs=item.inputs)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "learners_module.py"
        path.write_text(source.rstrip() + "\n" + calls, encoding="utf-8")
        task = Audit(path, "_quiz_module", SEED, "simulated", "_quiz_input")
        try:
            return probe_in_child(task, LIMITS)
        except RefusedError as error:
            raise JudgingError(str(error)) from None
