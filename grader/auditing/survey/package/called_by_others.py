"""Audits the classes that nobody could call: as others call them, or as a search finds."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, as_completed, wait
from dataclasses import replace
from functools import partial
from itertools import islice

from grader.auditing.survey.package.examples import examples_of
from grader.auditing.survey.package.one_class import (
    Request,
    Surveyed,
    report_of,
    searched_entry,
    since,
)
from grader.auditing.survey.package.witnesses import CallOf, Witness, classes_called
from grader.auditing.survey.run_in_child import NoAnswerError, Note, call_in_child, isolate
from grader.auditing.survey.survey import AuditPlan, SurveyEntry

SECONDS_TO_LISTEN, SECONDS_FOR_ALL = 40.0, 120.0
MOST_EXAMPLES, MOST_WITNESSES = 200, 3


def called_by_others(surveyed: Sequence[Surveyed], pool: Executor) -> Iterator[SurveyEntry]:
    """The classes that nobody could call, with calls that others make, or else a search finds."""
    unknown = [one for one in surveyed if one.is_open]
    if not unknown:
        return
    request = unknown[0].request
    examples = list(islice(examples_of(request.package), MOST_EXAMPLES))
    heard = [pool.submit(_classes_called_by, request, example) for example in examples]
    wait(heard, SECONDS_FOR_ALL)
    witnesses: list[tuple[Witness, frozenset[str]]] = [
        (CallOf(one.request.found, one.entry.plan), one.called)
        for one in sorted(surveyed, key=lambda one: one.entry.seconds)
        if one.entry.is_called
    ]
    # Examples that nobody had time for are left out.
    witnesses += [
        (example, heard_in.result())
        for example, heard_in in zip(examples, heard, strict=True)
        if not heard_in.cancel() and heard_in.done()
    ]
    audits = []
    for one in unknown:
        by = [witness for witness, called in witnesses if one.entry.name in called]
        audits.append(pool.submit(_witnessed_entry, one, by[:MOST_WITNESSES]))
    for audit in as_completed(audits):
        yield audit.result()


def _classes_called_by(request: Request, example: Witness) -> frozenset[str]:
    request.package.make_importable()
    try:
        heard: frozenset[str] = call_in_child(
            partial(_listen, example, request.folder), SECONDS_TO_LISTEN
        )
        return heard
    except NoAnswerError:
        return frozenset()


def _listen(witness: Witness, folder: str, note: Note) -> frozenset[str]:
    isolate(folder)
    with classes_called() as called:
        witness.run()
    return frozenset(called)


def _witnessed_entry(one: Surveyed, witnesses: Sequence[Witness]) -> SurveyEntry:
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
