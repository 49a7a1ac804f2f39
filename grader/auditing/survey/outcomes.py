"""Turns an audit's report into an entry, which says why there was no judgement."""

from __future__ import annotations

from dataclasses import replace

from grader.auditing.survey.survey import Entry, Refusal
from grader.schema import Report, Verdict

KINDS: dict[Verdict, str] = {
    "timeout": "took too long",
    "crashed": "ended its process",
    "out_of_memory": "used up its memory",
    "output_limit": "printed too much",
    "not_defined": "could not be built for the audit",
    "cannot_grade": "could not be audited",
}
FAILURES = {"forward on the CPU": "fails on the CPU", "constructor": "cannot be built again"}


def concluded(entry: Entry, report: Report) -> Entry:
    """The entry with its report, or with the reason why that judges nothing."""
    if report.verdict in ("passed", "failed"):
        return replace(entry, report=report)
    if failure := report.failure:
        return replace(entry, refusal=Refusal(FAILURES[failure.call], failure.exception))
    kind = KINDS.get(report.verdict, report.verdict)
    return replace(entry, refusal=Refusal(kind, report.message.partition("\n")[0]))
