"""Surveys a package: every class is planned and audited in children of its own, in parallel.

Each worker process imports the package once. The children that plan and audit are forks of it, so
they start at once, and whatever a class does to its process harms no other class.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import as_completed
from tempfile import TemporaryDirectory

from grader.auditing.survey.package.called_by_others import called_by_others
from grader.auditing.survey.package.discovery import discover
from grader.auditing.survey.package.distribution import Package
from grader.auditing.survey.package.one_class import Request, survey_class
from grader.auditing.survey.recipes import Recipes
from grader.auditing.survey.survey import Survey, SurveyEntry
from grader.probe import DeviceChoice, process_pool

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
        for entry in called_by_others(surveyed, pool):
            done(entry)
    devices = (entry.report.device for entry in entries if entry.report)
    label = next((device for device in devices if device != "none"), "none")
    return Survey(package.title, label, tuple(entries), unimported)
