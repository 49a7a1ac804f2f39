"""Audits the classes that nobody could call: as others call them, or as a search finds."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, as_completed
from dataclasses import replace

from grader.auditing.survey.package.one_class import (
    Surveyed,
    report_of,
    searched_entry,
    since,
)
from grader.auditing.survey.package.witnesses import CallOf
from grader.auditing.survey.survey import AuditPlan, SurveyEntry

MOST_WITNESSES = 3


def called_by_others(surveyed: Sequence[Surveyed], pool: Executor) -> Iterator[SurveyEntry]:
    """The classes that nobody could call, with calls that others make, or else a search finds."""
    unknown = [one for one in surveyed if one.is_open]
    witnesses = [
        (CallOf(one.request.found, one.entry.plan), one.called)
        for one in sorted(surveyed, key=lambda one: one.entry.seconds)
        if one.entry.is_called
    ]
    audits = []
    for one in unknown:
        by = [witness for witness, called in witnesses if one.entry.name in called]
        audits.append(pool.submit(_witnessed_entry, one, by[:MOST_WITNESSES]))
    for audit in as_completed(audits):
        yield audit.result()


def _witnessed_entry(one: Surveyed, witnesses: Sequence[CallOf]) -> SurveyEntry:
    """The entry by the first witness whose call can be audited, or by a search; else as it was."""
    began = time.monotonic()
    plan = AuditPlan(arguments_from="example", inputs_from="example")
    for witness in witnesses:
        entry = replace(one.entry, plan=plan, refusal=None, context=witness.title)
        entry = entry.with_report(report_of(one.request, witness))
        if entry.is_called:
            return replace(entry, seconds=one.entry.seconds + since(began))
    entry = searched_entry(one) or one.entry
    return replace(entry, seconds=one.entry.seconds + since(began))
