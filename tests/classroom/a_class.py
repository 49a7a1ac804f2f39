"""A class written by hand: every verdict, a name of every kind."""

from dataclasses import replace

from grader.classroom.results.gradebook import Gradebook, gradebook
from grader.classroom.results.ledger import Entry
from grader.schema.report import Check, Finding, Flag, Report

DEVICE = "cuda:0 (simulated)"
BUFFERS = Report(
    verdict="passed",
    device=DEVICE,
    title="03 A normalizer that follows its model",
    source="normalizer.py",
    score=6,
    max_score=6,
    checks=(
        Check("buffers", True, 2, 2, "`mean` and `std` are buffers"),
        Check("state_dict", True, 1, 1, "both are saved"),
        Check("placement", True, 2, 2, "everything moved"),
        Check("forward", True, 1, 1, "the output is right"),
    ),
    next_step="Our answer: a buffer is state without training.",
)
MEMBER = Finding(
    "member-tensor",
    "error",
    "self.mean",
    24,
    "`self.mean` is a plain tensor, so `.cuda()` left it on the CPU.",
    'Register it: `self.register_buffer("mean", torch.tensor(mean))`.',
)
HALF = replace(
    BUFFERS,
    verdict="failed",
    score=3,
    checks=(
        Check("buffers", False, 1, 2, "`mean` is not registered"),
        Check("state_dict", False, 0, 1, "`mean` is not saved"),
        Check("placement", False, 1, 2, "`self.mean` stayed on the CPU"),
        Check("forward", True, 1, 1, "the output is right"),
    ),
    findings=(MEMBER,),
    next_step="Change it and check again, or ask for a hint: grader hint 03",
    printed="::notice title=Autograding complete::Points 6/6\n",
)
LOOP = replace(
    BUFFERS,
    verdict="timeout",
    score=2,
    checks=(
        BUFFERS.checks[0],
        *(
            replace(check, passed=False, points=0, message="not reached")
            for check in BUFFERS.checks[1:]
        ),
    ),
    message="Your code was still running when the time was up, during the call.",
)
SEEDED = Report(
    verdict="passed",
    device=DEVICE,
    title="04 What is trained, what is kept",
    score=6,
    max_score=6,
    checks=(Check("parameters", True, 3, 3, "right"), Check("buffers", True, 3, 3, "right")),
)
FLAGGED = replace(
    SEEDED,
    flags=(
        Flag("import", 3, "imports `socket`, which no answer needs"),
        Flag("likeness", 0, "adds nearly the same to the starter as <grace>\x1b"),
    ),
)


def broken(verdict: str, message: str) -> Report:
    """A report without a single check, on 03."""
    return Report(verdict, "none", BUFFERS.title, max_score=6, message=message)


def entry(learner: str, report: Report, exercise: str = "03", **changes: object) -> Entry:
    """A line of the ledger."""
    facts = {
        "learner": learner,
        "exercise": exercise,
        "submission": "5b" * 32,
        "file": f"{exercise}.py",
        "handed_in": "2026-11-20T18:00:00+00:00",
        "late": False,
        "rubric": "rubric-1",
        "device": report.device,
        "isolation": "full",
        "seconds": 0.25,
        "report": report,
    }
    return Entry(**{**facts, **changes})


NOTHING = broken("not_defined", "Nothing was handed in.")
ENTRIES = (
    entry("ada", BUFFERS, learner_id="1815"),
    entry("ada", FLAGGED, "04", learner_id="1815"),
    entry("Łukasz Żak", HALF, late=True, handed_in="2026-11-21T09:30:00+00:00"),
    entry("Łukasz Żak", NOTHING, "04", submission="", file="", handed_in=""),
    entry("=cmd|' /C calc'!A0", LOOP),
    entry("الخوارزمي", broken("crashed", "Your code ended the Python process.")),
    entry("grace", broken("cannot_grade", "PyTorch cannot be imported here.")),
    entry("<script>alert(1)</script>", broken("tampered", "`::set-output name=x::y`\n::error::x")),
    entry('"quoted", with comma', broken("not_defined", "It does not define Normalizer.")),
)


def book() -> Gradebook:
    """All of them in order."""
    return gradebook(ENTRIES)
