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
ON_THE_CPU = "On the CPU, `forward` raised "
CONSTRUCTOR = "The constructor raised "


def concluded(entry: Entry, report: Report) -> Entry:
    """The entry with its report, or with the reason why that judges nothing."""
    if report.verdict in ("passed", "failed"):
        return replace(entry, report=report)
    first = report.message.partition("\n")[0]
    kind = KINDS.get(report.verdict, report.verdict)
    for prefix, outcome in (
        (ON_THE_CPU, "fails on the CPU"),
        (CONSTRUCTOR, "cannot be built again"),
    ):
        if first.startswith(prefix):
            kind, first = outcome, first.removeprefix(prefix)
    return replace(entry, refusal=Refusal(kind, first))
