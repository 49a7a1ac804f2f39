"""Surveys a package: every class is planned and audited in children of its own, in parallel.

Each worker process imports the package once. The children that plan and audit are forks of it, so
they start at once, and whatever a class does to its process harms no other class.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import as_completed
from dataclasses import dataclass, replace
from functools import partial
from operator import call
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, ClassVar

from torch import nn

from grader.auditing.one_module import audit_task
from grader.auditing.survey.package.discovery import Found, discover
from grader.auditing.survey.package.distribution import Package
from grader.auditing.survey.package.planning import OPTIONAL, plan_for
from grader.auditing.survey.package.written_calls import call_in_docstring, inputs_from, maker
from grader.auditing.survey.recipes import PLACE, ClassRecipe, Recipes
from grader.auditing.survey.run_in_child import NoAnswerError, audit_limits, call_in_child, isolate
from grader.auditing.survey.survey import AuditPlan, Refusal, Survey, SurveyEntry
from grader.loading import LoadingError
from grader.probe import (
    DeviceChoice,
    Printed,
    Runner,
    Subject,
    Task,
    audit_subject,
    fresh_seed,
    into,
    process_pool,
    seed_generators,
    source_text,
    torch_as_it_was,
)
from grader.schema import Report

SECONDS_TO_PLAN = 40.0
ADVICE = f"To see the rest, say what it is called with: a recipe with `inputs` in {PLACE}."
# Libraries that download look at these; with them they fail at once instead of trying again.
OFFLINE = {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1", "WANDB_MODE": "disabled"}


@dataclass(frozen=True)
class Request:
    """One class to survey.

    Attributes:
        seconds: the longest that its audit may take.
        folder: an empty folder, the working directory for the class's code.
    """

    package: Package
    found: Found
    recipe: ClassRecipe
    device: DeviceChoice
    seconds: float
    folder: str


@dataclass(frozen=True)
class PlannedAudit(Task):
    """The audit of one class in a child process, built and called as a plan says.

    Attributes:
        folder: the working directory for the class's code.
    """

    is_graded: ClassVar[bool] = False

    found: Found
    plan: AuditPlan
    folder: str

    def prepare(self, run: Runner = call) -> Subject:
        isolate(self.folder)
        seed_generators(self.seed)
        target, inputs = planned_target(self.found.load(), self.plan)
        return audit_subject(target, inputs, self.seed)


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
    with TemporaryDirectory(prefix="survey-") as folder, process_pool(jobs) as pool:
        requests = [
            Request(package, found, recipes.of(found.dotted), device, seconds, folder)
            for found in classes
        ]
        entries = []
        for done in as_completed([pool.submit(entry_of, request) for request in requests]):
            entries.append(done.result())
            progress(entries[-1], len(classes))
    devices = (entry.report.device for entry in entries if entry.report)
    label = next((device for device in devices if device != "none"), "none")
    return Survey(package.title, label, tuple(entries), unimported)


def entry_of(request: Request) -> SurveyEntry:
    """Plan and audit one class, in children of this process."""
    began = time.monotonic()
    found = request.found
    entry = SurveyEntry(found.dotted, found.file, found.line)
    planned = _make_plan(request)
    if isinstance(planned, Refusal):
        entry = replace(entry, refusal=planned)
    else:
        entry = _audit_entry(request, replace(entry, plan=planned))
    return replace(entry, seconds=round(time.monotonic() - began, 2))


def planned_target(cls: type[nn.Module], plan: AuditPlan) -> tuple[Any, Any]:
    """The target of an audit, a module or a function that makes one, and its inputs or None."""
    if plan.inputs_from == "docstring":
        return _docstring_target(cls)
    target = maker(cls, plan.arguments)
    if plan.inputs is None:
        return target, None
    with torch_as_it_was():
        return target, inputs_from(plan.inputs, target())


def _make_plan(request: Request) -> AuditPlan | Refusal:
    if request.recipe.skip is not None:
        return Refusal("is skipped by its recipe", request.recipe.skip)
    request.package.make_importable()
    try:
        with into(Printed()):
            request.found.load()  # here, so that the children need not
    except BaseException as error:
        return Refusal("cannot be imported", f"{type(error).__name__}: {error}")
    without: frozenset[str] = frozenset()
    while True:
        question = partial(plan_for, request.found, request.recipe, request.folder, without)
        try:
            answer: AuditPlan | Refusal = call_in_child(question, SECONDS_TO_PLAN)
            return answer
        except NoAnswerError as error:
            if error.last not in OPTIONAL:
                return Refusal("could not be built in its process", str(error))
            without |= {error.last}


def _audit_entry(request: Request, entry: SurveyEntry) -> SurveyEntry:
    """The entry with its report; inputs that were guessed are dropped where the audit fails."""
    entry = entry.with_report(_report(request, entry.plan))
    if entry.refusal and entry.plan.inputs_from == "guess":
        plan = replace(entry.plan, inputs=None, inputs_from="")
        entry = replace(entry, plan=plan, refusal=None)
        return entry.with_report(_report(request, plan))
    return entry


def _report(request: Request, plan: AuditPlan) -> Report:
    found = request.found
    cls = found.load()
    path = Path(next(iter(_files(cls)), found.file))
    task = PlannedAudit(path, found.name, fresh_seed(), request.device, found, plan, request.folder)
    root = _root(path, found.file)
    text = source_text(cls)
    return audit_task(
        task, audit_limits(request.seconds), found.name, found.file, text, ADVICE, root
    )


def _root(path: Path, printed: str) -> Path | None:
    """The folder from which `path` is printed so."""
    return path.parents[len(Path(printed).parts) - 1] if str(path).endswith(printed) else None


def _files(cls: type) -> Iterator[str]:
    from grader.probe import files_of

    yield from files_of(cls)


def _docstring_target(cls: type[nn.Module]) -> tuple[nn.Module, Any]:
    """The module and the inputs of the call in the class's docstring."""
    caught = call_in_docstring(cls)
    if caught is None:
        raise LoadingError("The example in the docstring made a call once, but not again.")
    return caught.module, caught.inputs
