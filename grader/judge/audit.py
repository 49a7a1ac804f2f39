"""The report of an audit: what running a module showed, without a rubric."""

from __future__ import annotations

from grader.evidence import Evidence, Phase, Raised
from grader.judge.diagnosis import diagnose_audit
from grader.judge.lookups import run_of
from grader.judge.notes import notes
from grader.judge.report import Finding, Report, Verdict
from grader.judge.verdict import how_it_ended
from grader.judge.wording import describe


def judge_audit(evidence: Evidence, title: str, source: str = "", text: str = "") -> Report:
    """The report on any module.

    Args:
        evidence: what the probe saw.
        title: the module's name.
        source: its file, as it should be printed.
        text: what that file holds, for the fixes.
    """
    findings = diagnose_audit(evidence, text)
    verdict, message = _verdict(evidence, findings)
    return Report(
        verdict=verdict,
        device=evidence.device,
        title=f"Audit of {title}",
        source=source,
        findings=findings,
        message=message,
        printed=evidence.printed,
        notes=tuple(notes(evidence)),
    )


def _verdict(evidence: Evidence, findings: tuple[Finding, ...]) -> tuple[Verdict, str]:
    if evidence.undefined:
        return "not_defined", f"Running the file raised {describe(evidence.undefined)}"
    if evidence.ending != "complete":
        return evidence.ending, how_it_ended(evidence)
    if any(finding.severity == "error" for finding in findings):
        return "failed", _given_up(evidence)
    if evidence.construction:
        return "cannot_grade", _not_built(evidence.construction)
    if evidence.broken and not evidence.broken.is_exception:
        return "cannot_grade", evidence.broken.message
    if evidence.broken:
        return "cannot_grade", f"During the {evidence.stage}, it raised {describe(evidence.broken)}"
    unexplained = _unexplained(evidence)
    return ("cannot_grade", unexplained) if unexplained else ("passed", _given_up(evidence))


def _not_built(raised: Raised) -> str:
    """What the constructor raised, or what the probe says itself."""
    return f"The constructor raised {describe(raised)}" if raised.is_exception else raised.message


def _unexplained(evidence: Evidence) -> str:
    baseline, cuda = run_of(evidence, Phase.CPU), run_of(evidence, Phase.CUDA)
    if baseline and baseline.raised:
        return (
            f"On the CPU, `forward` raised {describe(baseline.raised)}\n"
            "Do the inputs fit the module? An audit needs a call that works on the CPU."
        )
    if cuda and cuda.raised:
        return f"On {cuda.device}, `forward` raised what no rule explains: {describe(cuda.raised)}"
    return ""


def _given_up(evidence: Evidence) -> str:
    given_up = (
        *(evidence.structure.given_up if evidence.structure else ()),
        *map(str, evidence.skipped),
    )
    return "Not looked into: " + "; ".join(given_up) if given_up else ""
