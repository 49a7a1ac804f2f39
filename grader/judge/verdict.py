"""From evidence and a rubric to a report."""

from __future__ import annotations

from dataclasses import replace

from grader.evidence import Ending, Evidence, Output, Raised
from grader.judge.checks import run_checks
from grader.judge.diagnosis import diagnose
from grader.judge.report import Check, Finding, Report, Verdict
from grader.judge.wording import told
from grader.rubrics import Rubric

ENDINGS: dict[Ending, str] = {
    "timeout": "Your code was still running when the time was up, during the {stage}. Is there a "
    "loop that never ends?",
    "crashed": "Your code ended the Python process during the {stage}. Does it call `exit` or "
    "`os._exit`, or use far too deep a recursion?",
    "out_of_memory": "Your code used up the memory during the {stage}. Is a tensor far too large?",
    "output_limit": "Your code printed too much during the {stage}. Is there a print in a loop?",
}


def judge(
    evidence: Evidence,
    rubric: Rubric,
    expected: tuple[Output, ...],
    *,
    untouched: bool = False,
    source: str = "",
) -> Report:
    """The report on one exercise.

    Args:
        evidence: what the probe saw.
        rubric: what the exercise asks.
        expected: what `forward` should have given for the same state and inputs.
        untouched: whether the learner has not changed the starter yet.
        source: the learner's file, as it should be printed.
    """
    if evidence.undefined:
        return undefined(evidence.undefined, rubric, evidence.device, source)
    checks = run_checks(evidence, rubric, expected)
    if untouched:  # what is right in a starter is no one's merit
        checks = tuple(replace(check, points=0) for check in checks)
    findings = diagnose(evidence, rubric)
    verdict = _verdict(evidence, checks, findings, untouched)
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
    )


def _verdict(
    evidence: Evidence, checks: tuple[Check, ...], findings: tuple[Finding, ...], untouched: bool
) -> Verdict:
    if evidence.ending != "complete":
        return evidence.ending
    if untouched:
        return "not_attempted"
    errors = [finding for finding in findings if finding.severity == "error"]
    return "passed" if all(check.passed for check in checks) and not errors else "failed"


def _message(evidence: Evidence, rubric: Rubric, verdict: Verdict) -> str:
    if evidence.ending != "complete":
        return ENDINGS[evidence.ending].format(stage=evidence.stage or "import")
    if evidence.construction:
        arguments = ", ".join(f"{k}={v!r}" for k, v in rubric.recipe.arguments.items())
        return (
            f"The constructor raised {told(evidence.construction)}\n"
            f"The exercise builds it as {rubric.class_name}({arguments})."
        )
    if evidence.broken:
        return f"During the {evidence.stage}, your code raised {told(evidence.broken)}"
    if verdict == "not_attempted":
        return "You have not changed the starter yet. This is what is wrong with it, on purpose:"
    return ""


def _next_step(verdict: Verdict, rubric: Rubric) -> str:
    if verdict == "passed":
        return f"Why this is right: {rubric.reason}"
    return f"Change it and check again, or ask for a hint: grader hint {rubric.number}"


def undefined(raised: Raised, rubric: Rubric, device: str, source: str) -> Report:
    """The report where the learner's file raised before the class was there."""
    code = f"\n    {raised.code}" if raised.code else ""
    return Report(
        verdict="not_defined",
        device=device,
        title=f"{rubric.number} {rubric.title}",
        source=source,
        max_score=sum(rubric.points.values()),
        message=f"Running {source} raised {told(raised)}{code}\n"
        f"So {rubric.class_name} was never defined, and nothing was graded.",
        next_step="Mend that line first. Is code at the top level that belongs into the class?",
    )
