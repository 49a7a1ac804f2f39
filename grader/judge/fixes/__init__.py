"""Fixes as edits of the learner's file.

What a report prints is made from the edits, and the tests apply the same edits: so a printed fix is
one that works.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from grader.judge.codes import Code
from grader.judge.fixes.containers import register_copy, use_torch_container
from grader.judge.fixes.fix import CodeFix, Context, Fault
from grader.judge.fixes.inner import seen_from_its_class
from grader.judge.fixes.placing import (
    copy_to_the_cpu,
    draw_there,
    keep_result,
    let_caller_choose,
    make_there,
    move_first,
)
from grader.judge.fixes.registering import register, register_parameter, wrap_last
from grader.judge.fixes.remembered import ask_when_needed
from grader.judge.fixes.roles import (
    change_role,
    save_in_buffer,
    save_with_model,
    tie_weights,
)
from grader.judge.fixes.source_file import SourceFile, Sources, apply_edits, are_apart, placed
from grader.schema import Edit, Evidence, Finding, Rubric

__all__ = ["SourceFile", "Sources", "Tried", "apply_edits", "are_apart", "placed", "with_fixes"]

# Before the fix of what was not seen to go wrong; `comments.py` reads what it proposes.
MAY_BE_MEANT = "If that is meant, say so: `# grader: ignore[{code}]`. If not: "

Tried = frozenset[tuple[Edit, ...]] | None
Fixer = Callable[[Fault, Context], CodeFix | None]
FIXERS: dict[Code, tuple[Fixer, ...]] = {
    Code.MEMBER_TENSOR: (register,),
    Code.PYTHON_CONTAINER: (use_torch_container,),
    Code.CRITERION_STATE: (use_torch_container, register),
    Code.PARAMETER_OR_BUFFER: (change_role,),
    Code.MOVED_BEFORE_REGISTRATION: (wrap_last, register_parameter),
    Code.LOST_FROM_CHECKPOINT: (save_in_buffer,),
    Code.MADE_IN_FORWARD: (ask_when_needed, make_there),
    Code.TO_RESULT_DROPPED: (keep_result,),
    Code.HOST_ROUND_TRIP: (copy_to_the_cpu,),
    Code.DEVICE_IGNORED: (make_there,),
    Code.HARD_CODED_DEVICE: (
        register,
        let_caller_choose,
        ask_when_needed,
        make_there,
    ),
    Code.STALE_DEVICE: (ask_when_needed,),
    Code.INPUT_TRANSFER: (move_first,),
    Code.INDEX_DEVICE: (copy_to_the_cpu, register, make_there),
    Code.TIED_WEIGHTS: (tie_weights,),
}
# Where no exercise asks for certain names, and nobody is to learn how it is written.
AUDIT_FIXERS: dict[Code, tuple[Fixer, ...]] = {
    Code.AVERAGED_COPY: (register_copy,),
    Code.GENERATOR_DEVICE: (draw_there,),
    Code.LOST_FROM_CHECKPOINT: (use_torch_container, register_copy),
    Code.META_INIT: (save_with_model,),
    Code.REPLICA: (register,),
}


def _changes_something(fix: CodeFix | None) -> bool:
    """Whether it is in words, or its code is not what is there already."""
    return fix is not None and (not fix.edits or any(e.before != e.after for e in fix.edits))


def with_fixes(
    faults: Iterable[Fault],
    evidence: Evidence,
    sources: Sources,
    rubric: Rubric | None = None,
    tried: Tried = None,
) -> Iterator[Finding]:
    """The findings with file and line as a reader sees them, and with a fix as code if possible.

    Args:
        faults: what is wrong; the fix of each is in words.
        evidence: what the probe saw.
        sources: the learner's files; without text where they cannot be read.
        rubric: what the exercise asks, None in an audit.
        tried: the edits that work, of which words are told if they do not; None if nobody knows.
    """
    for fault in faults:
        code = sources.file(fault.file)
        # An exercise's names are those of the whole module.
        seen, facts = (fault, evidence) if rubric else seen_from_its_class(fault, evidence, code)
        context = Context(code, facts, rubric, fault.file)
        fixers = FIXERS.get(Code(fault.code), ())
        fixers += AUDIT_FIXERS.get(Code(fault.code), ()) if rubric is None else ()
        fixers = fixers if fault.line else ()
        fix = next(filter(_changes_something, (fixer(seen, context) for fixer in fixers)), None)
        if fix and fix.edits and tried is not None:
            fix = replace(fix, words=f"{fix.words} (tried)") if fix.edits in tried else None
        words = rubric.advice.get(fault.code, fault.fix) if rubric else fault.fix
        meant = MAY_BE_MEANT.format(code=fault.code) if fault.may_be_meant else ""
        yield Finding(
            fault.code,
            fault.severity,
            fault.where,
            fault.line,
            fault.message,
            f"{meant}{fix or words}",
            code.line(fault.line),
            fix.edits if fix else (),
            code.name,
        )
