"""Surveys one class: plans how it is built and called, and audits it, in children."""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from operator import call
from pathlib import Path
from typing import ClassVar

from grader.auditing.one_module import audit_task
from grader.auditing.survey.package.discovery import Found
from grader.auditing.survey.package.distribution import Package
from grader.auditing.survey.package.planning import OPTIONAL, SEARCHED, plan_for, searched_plan
from grader.auditing.survey.package.witnesses import (
    Witness,
    classes_called,
    planned_target,
    witnessed_target,
)
from grader.auditing.survey.recipes import PLACE, ClassRecipe
from grader.auditing.survey.run_in_child import (
    NoAnswerError,
    Note,
    audit_limits,
    call_in_child,
    isolate,
)
from grader.auditing.survey.survey import AuditPlan, Refusal, SurveyEntry
from grader.probe import (
    DeviceChoice,
    Printed,
    Runner,
    Subject,
    Task,
    audit_subject,
    defining_files,
    fresh_seed,
    into,
    seed_generators,
    source_text,
)
from grader.schema import Report

SECONDS_TO_PLAN = 60.0
ADVICE = f"To see the rest, say what it is called with: a recipe with `inputs` in {PLACE}."


@dataclass(frozen=True)
class Request:
    """One class to survey.

    Attributes:
        seconds: the longest that its audit may take.
        folder: an empty folder, the working directory for the class's code.
        modules: those that define classes of the package: they may be arguments.
    """

    package: Package
    found: Found
    recipe: ClassRecipe
    device: DeviceChoice
    seconds: float
    folder: str
    modules: tuple[str, ...] = ()


@dataclass(frozen=True)
class ClassAudit(Task):
    """The audit of one class in a child process.

    Attributes:
        said_by: how it is built and called: a plan, or a witness that does so.
        folder: the working directory for the class's code.
    """

    is_graded: ClassVar[bool] = False

    found: Found
    said_by: AuditPlan | Witness
    folder: str

    def prepare(self, run: Runner = call) -> Subject:
        isolate(self.folder)
        seed_generators(self.seed)
        cls, said_by = self.found.load(), self.said_by
        if isinstance(said_by, AuditPlan):
            return audit_subject(*planned_target(cls, said_by), self.seed)
        return audit_subject(*witnessed_target(cls, said_by), self.seed)


@dataclass(frozen=True)
class Surveyed:
    """A class after its own audit.

    Attributes:
        called: the dotted names of the classes that its call called.
    """

    request: Request
    entry: SurveyEntry
    called: frozenset[str] = frozenset()

    @property
    def is_open(self) -> bool:
        """Whether it would be called if somebody knew how."""
        return not self.entry.is_called and self.request.recipe.skip is None


def survey_class(request: Request) -> Surveyed:
    """Plan and audit one class, in children of this process."""
    began = time.monotonic()
    found = request.found
    entry = SurveyEntry(found.dotted, found.file, found.line)
    planned, called = _make_plan(request)
    if isinstance(planned, Refusal):
        entry = replace(entry, refusal=planned)
    else:
        entry = _audit_entry(request, replace(entry, plan=planned))
    return Surveyed(request, replace(entry, seconds=since(began)), called)


def searched_entry(one: Surveyed) -> SurveyEntry | None:
    """The entry with a call that a search finds; None if it finds none that can be audited."""
    request, refusal = one.request, one.entry.refusal
    if request.recipe.arguments is not None or (refusal and refusal.kind not in SEARCHED):
        return None
    with into(Printed()):  # here, so that the children need not
        for module in request.modules:
            with suppress(BaseException):
                import_module(module)
    search = partial(searched_plan, request.found, request.recipe, request.folder, refusal)
    with suppress(NoAnswerError):
        if plan := call_in_child(search, SECONDS_TO_PLAN):
            entry = replace(one.entry, plan=plan, refusal=None)
            entry = entry.with_report(report_of(request, plan))
            return entry if entry.is_called else None
    return None


def _make_plan(request: Request) -> tuple[AuditPlan | Refusal, frozenset[str]]:
    nobody = frozenset[str]()
    if request.recipe.skip is not None:
        return Refusal("is skipped by its recipe", request.recipe.skip), nobody
    request.package.make_importable()
    try:
        with into(Printed()):
            request.found.load()  # here, so that the children need not
    except BaseException as error:
        return Refusal("cannot be imported", f"{type(error).__name__}: {error}"), nobody
    without: frozenset[str] = frozenset()
    while True:
        try:
            answer: tuple[AuditPlan | Refusal, frozenset[str]] = call_in_child(
                partial(_plan_heard, request, without), SECONDS_TO_PLAN
            )
            return answer
        except NoAnswerError as error:
            if error.last not in OPTIONAL:
                return Refusal("could not be built in its process", str(error)), nobody
            without |= {error.last}


def _plan_heard(
    request: Request, without: frozenset[str], note: Note
) -> tuple[AuditPlan | Refusal, frozenset[str]]:
    """The plan of a class, and the classes that were called while it was tried."""
    with classes_called() as called:
        plan = plan_for(request.found, request.recipe, request.folder, without, note)
    return plan, frozenset(called)


def _audit_entry(request: Request, entry: SurveyEntry) -> SurveyEntry:
    """The entry with its report; inputs that were guessed are dropped where the audit fails."""
    entry = entry.with_report(report_of(request, entry.plan))
    if entry.refusal and entry.plan.inputs_from == "guess":
        plan = replace(entry.plan, inputs=None, inputs_from="")
        entry = replace(entry, plan=plan, refusal=None)
        return entry.with_report(report_of(request, plan))
    return entry


def report_of(request: Request, said_by: AuditPlan | Witness) -> Report:
    found = request.found
    cls = found.load()
    path = Path(min(defining_files(cls), default=(found.file, ""))[0])
    seed, root = fresh_seed(), _root(path, found.file)
    task = ClassAudit(path, found.name, seed, request.device, found, said_by, request.folder)
    text = source_text(cls)
    return audit_task(
        task, audit_limits(request.seconds), found.name, found.file, text, ADVICE, root
    )


def _root(path: Path, printed: str) -> Path | None:
    """The folder from which `path` is printed so."""
    return path.parents[len(Path(printed).parts) - 1] if str(path).endswith(printed) else None


def since(began: float) -> float:
    return round(time.monotonic() - began, 2)
