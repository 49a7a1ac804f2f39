"""Surveys a package: every class is planned and audited in children of its own, in parallel.

Each worker process imports the package once. The children that plan and audit are forks of it, so
they start at once, and whatever a class does to its process harms no other class.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, as_completed
from dataclasses import replace
from tempfile import TemporaryDirectory

from grader.auditing.survey.package.discovery import discover
from grader.auditing.survey.package.distribution import Package
from grader.auditing.survey.package.one_class import (
    Request,
    Surveyed,
    report_of,
    searched_entry,
    since,
    survey_class,
)
from grader.auditing.survey.package.witnesses import CallOf
from grader.auditing.survey.recipes import Recipes
from grader.auditing.survey.survey import AuditPlan, Survey, SurveyEntry
from grader.probe import DeviceChoice, process_pool

MOST_WITNESSES = 3
# Libraries that download look at these; with them they fail at once instead of trying again.
OFFLINE = {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1", "WANDB_MODE": "disabled"}


def survey_package(
    package: Package,
    recipes: Recipes,
    device: DeviceChoice = "auto",
    seconds: float = 120.0,
    jobs: int | None = None,
    progress: Callable[[SurveyEntry, int], None] = lambda entry, total: None,
) -> Survey:
    """Audit every module class of a package.

    Args:
        package: the package.
        recipes: how the project says that its classes are built and called.
        device: what to judge on.
        seconds: the longest that one audit may take.
        jobs: how many classes are audited side by side; one for each processor, unless given.
        progress: called with each entry as it is there, and the number of all classes.
    """
    os.environ.update(OFFLINE)
    classes, unimported = discover(package)
    entries: list[SurveyEntry] = []

    def done(entry: SurveyEntry) -> None:
        entries.append(entry)
        progress(entry, len(classes))

    with TemporaryDirectory(prefix="survey-") as folder, process_pool(jobs) as pool:
        modules = tuple(dict.fromkeys(found.module for found in classes))
        requests = [
            Request(package, found, recipes.of(found.dotted), device, seconds, folder, modules)
            for found in classes
        ]
        surveyed = []
        for future in as_completed([pool.submit(survey_class, request) for request in requests]):
            surveyed.append(future.result())
            if not surveyed[-1].is_open:
                done(surveyed[-1].entry)
        for entry in _called_by_others(surveyed, pool):
            done(entry)
    devices = (entry.report.device for entry in entries if entry.report)
    label = next((device for device in devices if device != "none"), "none")
    return Survey(package.title, label, tuple(entries), unimported)


def _called_by_others(surveyed: Sequence[Surveyed], pool: Executor) -> Iterator[SurveyEntry]:
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
