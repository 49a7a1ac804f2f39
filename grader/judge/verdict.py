"""From evidence and a rubric to a report."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from msgspec import structs

from grader.judge.behind import note_on_those_behind, of_real_calls, with_those_behind
from grader.judge.checks import GradedAnswer, run_checks
from grader.judge.diagnosis import diagnose, sightings
from grader.judge.fixes import SourceFile, Sources, with_fixes
from grader.judge.fixes.fix import Fault
from grader.judge.initial_state import InitialState
from grader.judge.remarks import remarks
from grader.judge.scoring import mark_unfinished, settle, share, without_points
from grader.judge.stops import STOPS, Stop, ending_words, exercise_words, first_stop
from grader.judge.wording import notes, own_file
from grader.schema import (
    Check,
    Evidence,
    Finding,
    Flag,
    Output,
    Raised,
    Report,
    Rubric,
    Skipped,
    Stage,
    Verdict,
)

# The stages that points depend on.
GRADED = (
    Stage.CONSTRUCTION,
    Stage.MOVEMENT,
    Stage.EXECUTION,
    Stage.TRAINING,
    Stage.CHECKPOINT,
    Stage.FIRST_CALLS,
)
UNSEEN = (
    "The grader could not look at your module to the end, so this is no mark. Does it hold or "
    "return something unusual? If not, please report this: {}"
)
STARTER = "You have not changed the starter yet. This is what is wrong with it, on purpose:"
VOID = "does not count: the grader was tampered with"


def judge(
    evidence: Evidence,
    rubric: Rubric,
    expected: tuple[Output, ...],
    *,
    untouched: bool = False,
    source: str = "",
    sources: Sources | None = None,
    initial_state: InitialState | None = None,
) -> Report:
    """The report on one exercise.

    Args:
        evidence: what the probe saw.
        rubric: what the exercise asks.
        expected: what `forward` should have given for the same state and inputs.
        untouched: whether the learner has not changed the starter yet.
        source: the learner's file, as it should be printed.
        sources: the text of that file, and of others that the class is written in, for the fixes.
        initial_state: what a new instance should hold and give, None to leave that out.
    """
    evidence, sources = with_memory_used_up(evidence), sources or Sources(SourceFile(""))
    if evidence.undefined and evidence.ending == "complete":
        return _undefined_report(evidence, evidence.undefined, rubric, source)

    def all_faults(seen: Evidence) -> tuple[Fault, ...]:
        return diagnose(seen, rubric, sources, sightings(seen) if seen.is_audited else ())

    real = of_real_calls(evidence)
    audited = sightings(real) if real.is_audited else ()
    checks = run_checks(GradedAnswer(real, rubric, expected, audited), initial_state)
    shown = diagnose(real, rubric, sources, audited)
    faults, behind = with_those_behind(evidence, shown, all_faults)
    checks = _agreeing(checks, shown, evidence, untouched)
    verdict, message = _conclusion(evidence, rubric, checks, untouched)
    fixed, said = "", tuple(remarks(real, rubric, sources.own)) if verdict == "passed" else ()
    if verdict == "failed" and not message:
        checks, fixed = share(checks, shown, rubric.faults)
    return Report(
        verdict=verdict,
        device=evidence.device,
        title=f"{rubric.number} {rubric.title}",
        source=source,
        score=sum(check.points for check in checks),
        max_score=sum(rubric.points.values()),
        checks=checks,
        findings=tuple(with_fixes(faults, evidence, sources, rubric)),
        message=message,
        fixed=fixed,
        next_step=_next_step(verdict, rubric),
        printed=evidence.printed,
        notes=(*said, *note_on_those_behind(evidence, behind, own_file), *notes(evidence)),
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
    if evidence.ending != "complete" or _unseen(evidence):
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
            return structs.replace(evidence, ending="out_of_memory", stage=stage)
    for skipped in evidence.skipped:  # the probe's own copies did not fit
        if skipped.is_memory:
            return structs.replace(evidence, ending="out_of_memory", stage=skipped.stage)
    return evidence


def _conclusion(
    evidence: Evidence, rubric: Rubric, checks: tuple[Check, ...], untouched: bool
) -> tuple[Verdict, str]:
    """The verdict, and the message above the checks."""
    if evidence.ending != "complete":
        return evidence.ending, ending_words(evidence)
    if unseen := _unseen(evidence):
        return "cannot_grade", UNSEEN.format("; ".join(map(str, unseen)))
    verdict: Verdict = "passed" if all(check.passed for check in checks) else "failed"
    verdict = "not_attempted" if untouched else verdict
    stop = first_stop(evidence)
    if stop is None:
        return verdict, STARTER if untouched else ""
    message = exercise_words(stop, evidence)
    if stop is Stop.UNBUILT:
        arguments = ", ".join(f"{k}={v!r}" for k, v in rubric.recipe.arguments.items())
        how = "a model on it, with " if rubric.recipe.model else f"it as {rubric.class_name}"
        message += f"\nThe exercise builds {how}({arguments})."
    return verdict, message


def _unseen(evidence: Evidence) -> list[Skipped]:
    """What an exercise's own steps could not look at; those of its audit may be late."""
    return [skipped for skipped in evidence.skipped if skipped.stage in GRADED]


def _next_step(verdict: Verdict, rubric: Rubric) -> str:
    if verdict == "passed":
        return f"Our answer: {rubric.reason}"
    return f"Change it and check again, or ask for a hint: grader hint {rubric.number}"


def _undefined_report(evidence: Evidence, raised: Raised, rubric: Rubric, source: str) -> Report:
    """The report where the learner's file left no class behind."""
    next_step = f"Define {rubric.class_name} and check again."
    if raised.is_exception:
        next_step = _fix_of_exception(raised)
    elif raised.operation:  # it is there, but the file did what cannot be graded
        next_step = "Fix that, and check again."
    return Report(
        verdict=STOPS[Stop.UNDEFINED].verdict,
        device=evidence.device,
        title=f"{rubric.number} {rubric.title}",
        source=source,
        max_score=sum(rubric.points.values()),
        message=exercise_words(Stop.UNDEFINED, evidence, source),
        next_step=next_step,
    )


def _fix_of_exception(raised: Raised) -> str:
    if raised.type == "ModuleNotFoundError":
        return "Fix that line first. Is the name right, and is it installed where the grader is?"
    return (
        "Fix that line first. Code at the top level runs when the file is imported; what only "
        'tries the class out belongs under `if __name__ == "__main__":`.'
    )
