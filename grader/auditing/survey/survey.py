"""The result of a survey: an entry for each module class, the totals, and each fault once."""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from grader.judge import Selection, selected_findings
from grader.schema import Finding, Notice, Report, Verdict, exit_code

Outcome = Literal["wrong", "warned", "partly", "clean", "refused"]
OUTCOMES: tuple[Outcome, ...] = ("wrong", "warned", "partly", "clean", "refused")
# Who says how to build a class, or what to call it with.
Source = Literal["recipe", "docstring", "convention", "guess", "example", "test", ""]

# Reasons for no report, as many classes share them.
KINDS: dict[Verdict, str] = {
    "timeout": "took too long",
    "crashed": "ended its process",
    "out_of_memory": "used up its memory",
    "output_limit": "printed too much",
    "not_defined": "could not be built for the audit",
    "cannot_grade": "could not be audited",
}
UNSEEN = (
    "Its classes were not audited, nor those of modules below it that it had not imported yet. "
    "Install what it needs, or repair its import."
)
NEVER_CALLED = (
    "Nobody says what they are called with, so only their structure was seen. A recipe can say it."
)
FAILURES = {"forward on the CPU": "fails on the CPU", "constructor": "cannot be built again"}


@dataclass(frozen=True)
class AuditPlan:
    """How to build a class and what to call it with, each as it stands between parentheses.

    Attributes:
        arguments: of the constructor, as Python source: `dim=32, heads=4`.
        inputs: of the call, as Python source, where `module` is the module; None for no call.
        arguments_from: who says so; `""` where the constructor needs none.
        inputs_from: who says so; `""` without a call.
    """

    arguments: str = ""
    inputs: str | None = None
    arguments_from: Source = ""
    inputs_from: Source = ""


@dataclass(frozen=True)
class Refusal:
    """Why a class was not audited.

    Attributes:
        kind: the reason, in words that many classes share.
        detail: what is particular to this class: the error, or the arguments that are missing.
    """

    kind: str
    detail: str = ""


@dataclass(frozen=True)
class SurveyEntry:
    """One module class, or one configuration of it.

    Attributes:
        name: its dotted name.
        file: where it is written, as it should be printed; `""` if that is not known.
        line: of its `class` statement, 0 if unknown.
        plan: how it was built and called.
        report: what the audit found; None if it was refused.
        refusal: why there is no report; None if there is one.
        seconds: by the clock.
        context: where the module was met: the test or the example that called it.
    """

    name: str
    file: str = ""
    line: int = 0
    plan: AuditPlan = field(default_factory=AuditPlan)
    report: Report | None = None
    refusal: Refusal | None = None
    seconds: float = 0.0
    context: str = ""

    @property
    def outcome(self) -> Outcome:
        """The worst that holds.

        `wrong` with an error finding, `warned` with warnings only; `partly` if nothing was found,
        and a step was left out; `clean`, or `refused`.
        """
        if self.report is None:
            return "refused"
        if any(finding.severity == "error" for finding in self.report.findings):
            return "wrong"
        if self.report.findings:
            return "warned"
        return "partly" if self.report.left_out else "clean"

    def with_report(self, report: Report) -> SurveyEntry:
        """The entry with its report, or with the reason why that judges nothing."""
        if report.verdict in ("passed", "failed"):
            return replace(self, report=report)
        if failure := report.failure:
            return replace(self, refusal=Refusal(FAILURES[failure.call], failure.exception))
        kind = KINDS.get(report.verdict, report.verdict)
        return replace(self, refusal=Refusal(kind, report.message.partition("\n")[0]))

    def selected(self, choice: Selection) -> SurveyEntry:
        """The entry without the findings that the project means."""
        report = selected_findings(self.report, choice) if self.report else None
        return replace(self, report=report)

    @property
    def is_called(self) -> bool:
        """Whether it was audited with calls; else only its structure was looked at."""
        return self.report is not None and bool(self.plan.inputs_from)

    @property
    def is_guessed(self) -> bool:
        """Whether it was called as nobody says, so that its plan is worth keeping."""
        return self.is_called and self.plan.inputs_from == "guess"


@dataclass(frozen=True)
class Unimported:
    """A submodule that could not be imported, and why."""

    name: str
    reason: str


@dataclass(frozen=True)
class Survey:
    """All entries, and what they have in common.

    Attributes:
        title: what was surveyed: `auraloss 0.4.0`, `this test suite`.
        device: the label of the device that the audits ran on.
        unused: a notice on each entry of the baseline whose bug is gone.
    """

    title: str
    device: str
    entries: tuple[SurveyEntry, ...] = ()
    unimported: tuple[Unimported, ...] = ()
    unused: tuple[Notice, ...] = ()

    def of(self, outcome: Outcome) -> list[SurveyEntry]:
        found = [entry for entry in self.entries if entry.outcome == outcome]
        return sorted(found, key=lambda entry: entry.name)

    @property
    def reports(self) -> list[Report]:
        return [entry.report for entry in self.entries if entry.report]

    @property
    def called_count(self) -> int:
        return sum(entry.is_called for entry in self.entries)

    @property
    def refusals(self) -> Iterator[tuple[str, list[SurveyEntry]]]:
        """Each reason with its entries, the commonest first."""
        kinds = Counter(entry.refusal.kind for entry in self.entries if entry.refusal)
        for kind, _ in sorted(kinds.items(), key=lambda item: (-item[1], item[0])):
            yield kind, [e for e in self.of("refused") if e.refusal and e.refusal.kind == kind]

    @property
    def notices(self) -> tuple[Notice, ...]:
        """What the reports do not say: code that was not seen, and unused baseline entries."""
        found = [
            Notice(3, f"{module.name} was not imported", f"{module.reason}\n{UNSEEN}")
            for module in self.unimported
        ]
        total, refused = classes(len(self.entries)), len(self.of("refused"))
        if refused or not self.reports:
            title = f"{refused:,} of {total} not audited" if refused else "No module class found"
            code = 0 if self.reports else 2
            found.append(Notice(code, title, self._reasons, is_doubtful=False))
        if silent := sum(not report.is_called for report in self.reports):
            title = f"{silent:,} of {total} never called"
            found.append(Notice(0, title, NEVER_CALLED, is_doubtful=False))
        return (*found, *self.unused)

    @property
    def exit_code(self) -> int:
        """1 with an error finding, 2 if no class could be audited, 3 if something was not seen."""
        return exit_code([*self.reports, *self.notices])

    @property
    def _reasons(self) -> str:
        return "; ".join(f"{len(entries):,} {kind}" for kind, entries in self.refusals)


def written_in(cls: type, printed: Callable[[Path], str]) -> tuple[str, int]:
    """The file of a class, as `printed` gives it, and its line; `""` and 0 if unknown."""
    try:
        path, line = Path(inspect.getsourcefile(cls) or ""), inspect.getsourcelines(cls)[1]
    except (TypeError, OSError):
        return "", 0
    return printed(path), line


def classes(number: int) -> str:
    """`1 module class`, `3 module classes`."""
    return f"{number:,} module class{'' if number == 1 else 'es'}"


@dataclass(frozen=True)
class SharedFault:
    """One faulty line, met in several classes: its finding, and the entries that have it.

    The first entry's finding is quoted.
    """

    finding: Finding
    entries: tuple[SurveyEntry, ...]


def faults_of(survey: Survey) -> list[SharedFault]:
    """Each fault once, errors first, those of most entries first.

    Two findings are one fault if code, severity and line with its text agree. A finding without a
    line stands for itself.
    """
    groups: dict[tuple[object, ...], list[tuple[Finding, SurveyEntry]]] = {}
    for entry in sorted(survey.entries, key=lambda entry: entry.name):
        for finding in entry.report.findings if entry.report else ():
            position = (
                (finding.file, finding.line, finding.source_line) if finding.line else (entry.name,)
            )
            key = (finding.severity, finding.code, *position)
            groups.setdefault(key, []).append((finding, entry))
    faults = [
        SharedFault(found[0][0], tuple(dict.fromkeys(entry for _, entry in found)))
        for found in groups.values()
    ]
    return sorted(faults, key=lambda fault: (fault.finding.severity, -len(fault.entries)))
