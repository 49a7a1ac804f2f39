"""Fixes as edits of the learner's file.

What a report prints is made from the edits, and the tests apply the same edits: so a printed fix is
one that works.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from grader.judge.codes import Code
from grader.judge.fixes.containers import use_torch_container
from grader.judge.fixes.devices import follow_input, hand_on_device, make_on_input_device
from grader.judge.fixes.fix import Context, Fix
from grader.judge.fixes.misuse import fix_registration, tie_weights
from grader.judge.fixes.moves import keep_result, lengths_to_cpu, move_first
from grader.judge.fixes.registering import change_role, register, save_in_buffer, wrap_last
from grader.judge.fixes.remembered import ask_when_needed
from grader.judge.fixes.source_file import SourceFile, Sources, applied
from grader.schema import Evidence, Finding, Rubric

__all__ = ["MAY_BE_MEANT", "SourceFile", "Sources", "applied", "with_fixes"]

# Before the fix of what was not seen to go wrong; `comments.py` reads what it proposes.
MAY_BE_MEANT = "If that is meant, say so: `# grader: ignore[{code}]`. If not: "

Fixer = Callable[[Finding, Context], Fix | None]
FIXERS: dict[Code, tuple[Fixer, ...]] = {
    Code.MEMBER_TENSOR: (register,),
    Code.PYTHON_CONTAINER: (use_torch_container,),
    Code.CRITERION_STATE: (use_torch_container, register),
    Code.PARAMETER_OR_BUFFER: (change_role,),
    Code.MOVED_BEFORE_REGISTRATION: (wrap_last,),
    Code.LOST_FROM_CHECKPOINT: (save_in_buffer,),
    Code.MADE_IN_FORWARD: (make_on_input_device,),
    Code.TO_RESULT_DROPPED: (keep_result,),
    Code.DEVICE_IGNORED: (hand_on_device,),
    Code.HARD_CODED_DEVICE: (register, follow_input),
    Code.STALE_DEVICE: (ask_when_needed,),
    Code.INPUT_TRANSFER: (move_first,),
    Code.INDEX_DEVICE: (lengths_to_cpu, register),
    Code.REGISTRATION_MISUSE: (fix_registration,),
    Code.TIED_WEIGHTS: (tie_weights,),
}


def with_fixes(
    findings: Iterable[Finding],
    evidence: Evidence,
    sources: Sources,
    rubric: Rubric | None = None,
) -> Iterator[Finding]:
    """The findings with file and line as a reader sees them, and with a fix as code if possible.

    Args:
        findings: what is wrong; the fix of each is in words.
        evidence: what the probe saw.
        sources: the learner's files; without text where they cannot be read.
        rubric: what the exercise asks, None in an audit.
    """
    for finding in findings:
        context = Context(sources.file(finding.file), evidence, rubric, finding.file)
        code = context.code
        quoted = replace(finding, file=code.name, source_line=code.line(finding.line))
        fixers = FIXERS.get(Code(finding.code), ()) if finding.line else ()
        fix = next(filter(None, (fixer(finding, context) for fixer in fixers)), None)
        yield replace(quoted, fix=_worded(finding, fix), edits=fix.edits) if fix else quoted


def _worded(finding: Finding, fix: Fix) -> str:
    prefix = MAY_BE_MEANT.format(code=finding.code)
    return f"{prefix if finding.fix.startswith(prefix) else ''}{fix}"
