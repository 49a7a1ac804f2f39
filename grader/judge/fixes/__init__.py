"""What to write instead, as edits of the learner's file: what is printed is what is made of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from grader.evidence import Evidence
from grader.judge.codes import Code
from grader.judge.fixes.containers import container
from grader.judge.fixes.devices import freed, made_here
from grader.judge.fixes.fix import Fix, Known
from grader.judge.fixes.misuse import registered_right, tied
from grader.judge.fixes.moves import kept, lengths_on_the_cpu, moved_first
from grader.judge.fixes.registering import other_role, register, saved, wrapped_last
from grader.judge.fixes.remembered import asked_when_needed
from grader.judge.fixes.source_file import SourceFile, applied
from grader.judge.report import Finding
from grader.rubrics import Rubric

__all__ = ["MAY_BE_MEANT", "applied", "with_fixes"]

# Before the fix of what was not seen to go wrong.
MAY_BE_MEANT = "If that is meant, say so in a comment. If not: "

Fixer = Callable[[Finding, Known], Fix | None]
FIXERS: dict[Code, tuple[Fixer, ...]] = {
    Code.MEMBER_TENSOR: (register,),
    Code.PYTHON_CONTAINER: (container,),
    Code.CRITERION_STATE: (container, register),
    Code.PARAMETER_OR_BUFFER: (other_role,),
    Code.MOVED_BEFORE_REGISTRATION: (wrapped_last,),
    Code.LOST_FROM_CHECKPOINT: (saved,),
    Code.MADE_IN_FORWARD: (made_here,),
    Code.TO_RESULT_DROPPED: (kept,),
    Code.HARD_CODED_DEVICE: (register, freed),
    Code.STALE_DEVICE: (asked_when_needed,),
    Code.INPUT_TRANSFER: (moved_first,),
    Code.INDEX_DEVICE: (lengths_on_the_cpu, register),
    Code.REGISTRATION_MISUSE: (registered_right,),
    Code.TIED_WEIGHTS: (tied,),
}


def with_fixes(
    findings: Iterable[Finding], evidence: Evidence, text: str, rubric: Rubric | None = None
) -> Iterator[Finding]:
    """The findings with the learner's line, and with a fix as code where one can be written.

    Args:
        findings: what is wrong; the fix of each is in words.
        evidence: what the probe saw.
        text: the learner's file, `""` if it cannot be read.
        rubric: what the exercise asks, None in an audit.
    """
    known = Known(SourceFile(text), evidence, rubric)
    for finding in findings:
        quoted = replace(finding, source_line=known.code.line(finding.line))
        fixers = FIXERS.get(Code(finding.code), ()) if finding.line else ()
        fix = next(filter(None, (fixer(finding, known) for fixer in fixers)), None)
        yield replace(quoted, fix=_worded(finding, fix), edits=fix.edits) if fix else quoted


def _worded(finding: Finding, fix: Fix) -> str:
    return f"{MAY_BE_MEANT if finding.fix.startswith(MAY_BE_MEANT) else ''}{fix}"
