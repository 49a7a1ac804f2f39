"""What the judge says: a verdict, checks, findings, a score, and the device judged on."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from msgspec import UNSET, UnsetType

from grader.schema.evidence.structure import Location

Verdict = Literal[
    "passed",
    "failed",
    "not_attempted",
    "not_defined",
    "timeout",
    "crashed",
    "out_of_memory",
    "output_limit",
    "tampered",
    "cannot_grade",
]
Severity = Literal["error", "warning"]
# Why a check has no points though nothing was seen to be wrong: the grader did not get as far as
# running it, or it passes in the untouched starter already.
CheckStatus = Literal["run", "not run", "not counted"]
NOT_RUN = "not run: "
# Exit codes, from what matters least to what matters most.
BY_WEIGHT = (0, 3, 1, 2)
# In the order in which a person should look at them.
FlagKind = Literal[
    "import",
    "private-name",  # no longer raised; ledgers of earlier releases have it
    "patched-library",
    "hidden-code",
    "file",
    "behaviour",
    "solution",
    "likeness",
    "unread",
]


@dataclass(frozen=True)
class Check:
    """One scored line of a rubric."""

    name: str
    passed: bool
    points: int
    max_points: int
    message: str
    status: CheckStatus = "run"

    @classmethod
    def not_run(cls, name: str, max_points: int, why: str) -> Check:
        """A check that the grader did not get to; its message begins with that status."""
        return cls(name, False, 0, max_points, f"{NOT_RUN}{why}", "not run")

    @property
    def reason(self) -> str:
        """The message without the status, for what shows the status apart."""
        return self.message.removeprefix(NOT_RUN) if self.status == "not run" else self.message


@dataclass(frozen=True)
class Edit:
    """One change to the learner's file.

    Attributes:
        line: the line on which `before` begins.
        before: a whole statement, or the head of one such as `if x:`, without its indentation.
        after: what to write in its place; `""` to leave it out.
    """

    line: int
    before: str
    after: str


@dataclass(frozen=True)
class Finding:
    """One diagnosed fault.

    Attributes:
        where: a path such as `self.mask`, or the call at fault.
        line: in that file, 0 if unknown.
        message: what happens and why.
        fix: what to do, in words, and what to write instead if `edits` holds it.
        source_line: the text of that line, without its indentation; `""` if it cannot be read.
        edits: the changes that `fix` prints. Made to the file, they remove the fault.
        file: as it should be printed; `""` if it is the report's `source`.
    """

    code: str
    severity: Severity
    where: str
    line: int
    message: str
    fix: str
    source_line: str = ""
    edits: tuple[Edit, ...] = ()
    file: str = ""


@dataclass(frozen=True)
class Flag:
    """Something in a submission that a person should look at; it is no verdict and costs nothing.

    Attributes:
        line: in the learner's file, 0 if it is about the whole.
        text: what the submission does there, without its subject: "imports `gc`, ...".
    """

    kind: FlagKind
    line: int
    text: str

    def __str__(self) -> str:
        """One line for a person: `line 3: imports ...`."""
        return f"line {self.line}: {self.text}" if self.line else self.text


@dataclass(frozen=True)
class FailedCall:
    """A call without which an audit judges nothing, and which raised.

    Attributes:
        exception: in words.
    """

    call: Literal["constructor", "forward on the CPU"]
    exception: str


@dataclass(frozen=True, repr=False)
class Report:
    """The judgement on one module.

    Attributes:
        title: the exercise's, or the audited class's name.
        source: the learner's file, as it should be printed.
        message: why there are no checks, where there are none.
        left_out: the steps of an audit that were not run, and why.
        meant: how many findings of an audit are not among `findings`, since the project says that
            they are meant.
        is_called: False of an audit without inputs, which looks at the structure alone.
        fixed: how many of the starter's faults are fixed, where some are: `1 of 2 faults fixed`.
        shows_fixes: False until a learner has seen the last hint; text and HTML then leave the
            fixes out.
        next_step: what to do now.
        notes: what else to know; the verdict does not depend on it.
        flags: what a person should look at, imports first; the verdict does not depend on them.
        failure: why an audit judges nothing, where a call raised. Else unset, and then msgspec
            leaves it out: a ledger has none.
        classes: of an audit, by name, each with its file as that of a finding.
    """

    verdict: Verdict
    device: str
    title: str = ""
    source: str = ""
    score: int = 0
    max_score: int = 0
    checks: tuple[Check, ...] = ()
    findings: tuple[Finding, ...] = ()
    message: str = ""
    next_step: str = ""
    printed: str = ""
    notes: tuple[str, ...] = ()
    flags: tuple[Flag, ...] = ()
    left_out: tuple[str, ...] = ()
    is_called: bool = True
    meant: int = 0
    fixed: str = ""
    shows_fixes: bool = True
    failure: FailedCall | UnsetType = UNSET
    classes: tuple[Location, ...] | UnsetType = UNSET

    def __repr__(self) -> str:
        score = f"{self.score}/{self.max_score}, " if self.max_score else ""  # an audit has none
        return f"Report({self.title}: {self.verdict}, {score}{self.device})"

    @property
    def exit_code(self) -> int:
        """0 passed, 1 failed, 2 could not be graded, 3 passed as far as an audit was run."""
        if self.verdict == "passed" and self.left_out:
            return 3
        return {"passed": 0, "failed": 1, "not_attempted": 1}.get(self.verdict, 2)

    @property
    def is_doubtful(self) -> bool:
        """Whether `--strict` fails on it: it has a warning, or the module was never called."""
        return not self.is_called or any(found.severity == "warning" for found in self.findings)

    @property
    def is_complete(self) -> bool:
        """Whether an audit ran every step, so that a fault without a finding is not there."""
        return self.verdict in ("passed", "failed") and self.is_called and not self.left_out


@dataclass(frozen=True)
class Notice:
    """Something that a run of audits has to say besides its reports, such as what it did not see.

    Attributes:
        exit_code: of a run that has nothing worse to say: 0, 2 or 3, as a report's.
        is_doubtful: whether `--strict` fails on it.
    """

    exit_code: int
    title: str
    message: str
    is_doubtful: bool = True


def exit_code(said: Iterable[Report | Notice], strict: bool = False) -> int:
    """What reports and notices say together: the code of most weight, 0 of none.

    Args:
        said: by one run.
        strict: whether what is doubtful is a fault.
    """
    said = list(said)
    code = max((each.exit_code for each in said), key=BY_WEIGHT.index, default=0)
    return 1 if strict and code in (0, 3) and any(each.is_doubtful for each in said) else code
