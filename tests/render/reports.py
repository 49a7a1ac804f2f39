"""Reports written by hand, for every face to show."""

from dataclasses import replace

from grader.schema.report import Check, Finding, Report

PASSED = Report(
    verdict="passed",
    device="cuda:0 (simulated)",
    title="04 What is trained, what is kept",
    source="exercises/04_parameter_or_buffer.py",
    score=2,
    max_score=2,
    checks=(Check("buffers", True, 1, 1, "right"), Check("forward", True, 1, 1, "runs")),
    next_step="Our answer: a buffer is `state` without training.",
)
FAILED = replace(
    PASSED,
    verdict="failed",
    score=1,
    checks=(Check("buffers", False, 0, 1, "`mean` is not registered"), PASSED.checks[1]),
    findings=(
        Finding(
            "member-tensor",
            "error",
            "self.mean",
            24,
            "`self.mean` is a plain tensor.",
            'Register it: `self.register_buffer("mean", torch.zeros(3))`.',
        ),
        Finding("host-round-trip", "warning", "x.item()", 0, "It waits.", "Stay in torch."),
    ),
    next_step="Change it and check again.",
    printed="epoch 1\nepoch 2\n",
)
AUDITED = Report(
    verdict="failed",
    device="cuda:0 (simulated)",
    title="Audit of Net",
    source="net.py",
    findings=(
        FAILED.findings[0],
        replace(FAILED.findings[0], where="self.std", line=25),
        FAILED.findings[1],
    ),
)
CANNOT = Report(
    verdict="cannot_grade",
    device="none",
    title="04 What is trained, what is kept",
    source="ada.py",
    max_score=2,
    message="PyTorch cannot be imported here.",
)

HOSTILE = "</style></code><script>alert(1)</script>&amp;\"'\x1b[31m\x00[red]oops[/red]`"


def hostile() -> Report:
    """A report whose every text a learner chose."""
    finding = Finding("member-tensor", "error", HOSTILE, 3, HOSTILE, HOSTILE)
    return replace(
        FAILED,
        title=HOSTILE,
        source=HOSTILE,
        checks=(Check("forward", False, 0, 1, HOSTILE),),
        findings=(finding,),
        message=HOSTILE,
        next_step=HOSTILE,
        printed=HOSTILE,
    )
