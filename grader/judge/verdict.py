"""From evidence and a rubric to a report."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from grader.judge.checks import GradedAnswer, run_checks
from grader.judge.diagnosis import diagnose, sightings
from grader.judge.initial_state import InitialState
from grader.judge.scoring import mark_unfinished, settle, without_points
from grader.judge.wording import advice, describe, notes
from grader.schema import (
    Check,
    Ending,
    Evidence,
    Finding,
    Flag,
    Output,
    Raised,
    Report,
    Rubric,
    Stage,
    Verdict,
)

ENDINGS: dict[Ending, str] = {
    "timeout": "Your code was still running when the time was up, during the {stage}. Is there a "
    "loop that never ends?",
    "crashed": "Your code ended the Python process during the {stage}. Does it call `exit` or "
    "`os._exit`, or use far too deep a recursion?",
    "out_of_memory": "Your code used up the memory during the {stage}. Is a tensor far too large?",
    "output_limit": "Your code printed or wrote too much during the {stage}. Is there a print or a "
    "file in a loop?",
    "tampered": "The grader was tampered with during the {stage}: {detail}. What was seen cannot "
    "be trusted, so no points are given. Take that out, and hand in the module alone.",
}
UNSEEN = (
    "The grader could not look at your module to the end, so this is no mark. Does it hold or "
    "return something unusual? If not, please report this: {}"
)
VOID = "does not count: the grader was tampered with"


def how_it_ended(evidence: Evidence) -> str:
    """The message for a probe that did not complete."""
    return ENDINGS[evidence.ending].format(stage=evidence.stage, detail=evidence.detail)


def judge(
    evidence: Evidence,
    rubric: Rubric,
    expected: tuple[Output, ...],
    *,
    untouched: bool = False,
    source: str = "",
    text: str = "",
    initial_state: InitialState | None = None,
) -> Report:
    """The report on one exercise.

    Args:
        evidence: what the probe saw.
        rubric: what the exercise asks.
        expected: what `forward` should have given for the same state and inputs.
        untouched: whether the learner has not changed the starter yet.
        source: the learner's file, as it should be printed.
        text: what that file holds, for the fixes.
        initial_state: what a new instance should hold and give, None to leave that out.
    """
    evidence = with_memory_used_up(evidence)
    if evidence.undefined and evidence.ending == "complete":
        return undefined(evidence.undefined, rubric, evidence.device, source)
    audited = sightings(evidence.audit) if evidence.audit else ()
    checks = run_checks(GradedAnswer(evidence, rubric, expected, audited), initial_state)
    findings = diagnose(evidence, rubric, audited, text)
    checks = _agreeing(checks, findings, evidence, untouched)
    verdict = _verdict(evidence, checks, untouched)
    return Report(
        verdict=verdict,
        device=evidence.device,
        title=f"{rubric.number} {rubric.title}",
        source=source,
        score=sum(check.points for check in checks),
        max_score=sum(rubric.points.values()),
        checks=checks,
        findings=findings,
        message=_message(evidence, rubric, verdict),
        next_step=_next_step(verdict, rubric),
        printed=evidence.printed,
        notes=tuple(notes(evidence)),
        flags=tuple(_flags(evidence)),
    )


def _agreeing(
    checks: tuple[Check, ...], findings: tuple[Finding, ...], evidence: Evidence, untouched: bool
) -> tuple[Check, ...]:
    """The checks, adjusted so that their points agree with the verdict (see `scoring`)."""
    if evidence.ending == "tampered":
        return tuple(replace(check, passed=False, points=0, message=VOID) for check in checks)
    checks = settle(checks, findings)
    if untouched:
        checks = without_points(checks)
    if evidence.ending != "complete" or evidence.skipped:
        checks = mark_unfinished(checks)
    return checks


def _flags(evidence: Evidence) -> Iterator[Flag]:
    """Refused requests, and registrations that vary from instance to instance."""
    for refusal in evidence.refused:
        yield Flag("behaviour", refusal.line, f"asked for what was refused: {refusal.what}")
    if len(evidence.constructions) > 1:
        yield Flag("behaviour", 0, "registers other tensors in some instances than in others")


def with_memory_used_up(evidence: Evidence) -> Evidence:
    """Set `ending="out_of_memory"` if any recorded exception was a failed allocation.

    Even if the probe went on after it: what ran without memory shows nothing.
    """
    if evidence.ending != "complete":
        return evidence
    training, checkpoint = evidence.training, evidence.checkpoint
    raised = (
        (Stage.IMPORT, evidence.undefined),
        (Stage.CONSTRUCTION, evidence.construction),
        *((Stage.MOVEMENT, movement.raised) for movement in evidence.movements),
        *((Stage.EXECUTION, run.raised) for run in evidence.runs),
        (Stage.TRAINING, training.raised if training else None),
        (Stage.CHECKPOINT, checkpoint.raised if checkpoint else None),
        (evidence.stage, evidence.broken),
    )
    for stage, error in raised:
        if error and error.is_out_of_memory:
            return replace(evidence, ending="out_of_memory", stage=stage)
    for skipped in evidence.skipped:  # the probe's own copies did not fit
        if skipped.is_memory:
            return replace(evidence, ending="out_of_memory", stage=skipped.stage)
    return evidence


def _verdict(evidence: Evidence, checks: tuple[Check, ...], untouched: bool) -> Verdict:
    if evidence.ending != "complete":
        return evidence.ending
    if evidence.skipped:
        return "cannot_grade"
    if untouched:
        return "not_attempted"
    return "passed" if all(check.passed for check in checks) else "failed"


def _message(evidence: Evidence, rubric: Rubric, verdict: Verdict) -> str:
    if evidence.ending != "complete":
        return how_it_ended(evidence)
    if evidence.skipped:
        return UNSEEN.format("; ".join(map(str, evidence.skipped)))
    if evidence.construction:
        arguments = ", ".join(f"{k}={v!r}" for k, v in rubric.recipe.arguments.items())
        call = f"{rubric.class_name}({arguments})"
        return f"{_not_built(evidence.construction)}\nThe exercise builds it as {call}."
    if evidence.broken and not evidence.broken.is_exception:
        return evidence.broken.message
    if evidence.broken:
        return f"During the {evidence.stage}, your code raised {describe(evidence.broken)}"
    if verdict == "not_attempted":
        return "You have not changed the starter yet. This is what is wrong with it, on purpose:"
    return ""


def _next_step(verdict: Verdict, rubric: Rubric) -> str:
    if verdict == "passed":
        return f"Why this is right: {rubric.reason}"
    return f"Change it and check again, or ask for a hint: grader hint {rubric.number}"


def _not_built(raised: Raised) -> str:
    """Why there is no module: an exception, or what the probe says itself."""
    if not raised.is_exception:
        return raised.message
    return f"The constructor raised {describe(raised)}{advice(raised)}{_shown(raised)}"


def _shown(raised: Raised) -> str:
    """The learner's line, on a line of its own."""
    return f"\n    {raised.code}" if raised.code else ""


def undefined(raised: Raised, rubric: Rubric, device: str, source: str) -> Report:
    """The report where the learner's file left no class behind."""
    message, next_step = raised.message, f"Define {rubric.class_name} and check again."
    if raised.operation:  # it is there, but the file did what cannot be graded
        next_step = "Fix that, and check again."
    if raised.is_exception:
        message = (
            f"Running {source} raised {describe(raised)}{_shown(raised)}\n"
            "The file did not run to its end, so nothing was graded."
        )
        next_step = _fix_of_exception(raised)
    return Report(
        verdict="not_defined",
        device=device,
        title=f"{rubric.number} {rubric.title}",
        source=source,
        max_score=sum(rubric.points.values()),
        message=message,
        next_step=next_step,
    )


def _fix_of_exception(raised: Raised) -> str:
    if raised.type == "ModuleNotFoundError":
        return "Fix that line first. Is the name right, and is it installed where the grader is?"
    return (
        "Fix that line first. Code at the top level runs when the file is imported; what only "
        'tries the class out belongs under `if __name__ == "__main__":`.'
    )
