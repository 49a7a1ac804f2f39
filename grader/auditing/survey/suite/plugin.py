"""pytest's hooks for `--audit-modules`: registered only where that option is given.

With pytest-xdist each worker audits what its tests call and sends its entries to the controller,
which joins and reports them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import Any

import msgspec
import pytest

from grader.auditing.configuration import AuditOptions
from grader.auditing.survey.faces.text import survey_lines
from grader.auditing.survey.suite.auditor import SECONDS_EACH, Auditor
from grader.auditing.survey.suite.sigterm import sigterm_interrupts
from grader.auditing.survey.survey import OUTCOMES, Survey, SurveyEntry, classes
from grader.judge import unused_entries, write_baseline
from grader.loading import text_at
from grader.schema import Finding

SENT = "audited_modules"
MARKUP = {"bad": {"red": True}, "doubt": {"yellow": True}, "good": {"green": True}}


@dataclass(frozen=True)
class AuditFiles:
    """The files that an audit of a test suite writes; None for those that nobody asked for.

    Attributes:
        report: the report as JSON or, by its suffix, as an HTML page.
        baseline: the findings of today.
    """

    report: Path | None = None
    baseline: Path | None = None


class ModuleAudit:
    """The plugin of one pytest process.

    Args:
        budget: seconds that the audits of each process may take together; None for a share of the
            time since the start.
        options: of the project. The baseline is not read where one is written.
        files: to write.
        is_worker: whether it is a worker of pytest-xdist, which only sends its entries.
        is_strict: whether the session fails on what was not audited in full, or on an entry of the
            baseline whose bug is gone.

    Raises:
        ConfigurationError: there is no such baseline.
        BaselineError: it cannot be read.
    """

    def __init__(
        self,
        budget: float | None,
        options: AuditOptions,
        files: AuditFiles,
        is_worker: bool,
        is_strict: bool,
    ) -> None:
        device: Any = options.device or "auto"
        self._auditor = Auditor(budget, device, options.time_limit or SECONDS_EACH)
        self._choice = (replace(options, baseline=None) if files.baseline else options).choice()
        self._files, self._is_worker, self._is_strict = files, is_worker, is_strict
        self._from_workers: list[SurveyEntry] = []

    def pytest_sessionstart(self, session: pytest.Session) -> None:
        """End the session at SIGTERM as at Ctrl-C: a run that `timeout` stops reports then."""
        handling = ExitStack()
        handling.enter_context(sigterm_interrupts())
        session.config.add_cleanup(handling.close)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Catch calls while a test runs with its fixtures, and audit after their teardown."""
        with self._auditor.watching(item.nodeid):
            return (yield)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any, error: object | None) -> None:
        """A worker of pytest-xdist has ended: take its entries."""
        sent = getattr(node, "workeroutput", {}).get(SENT)
        if sent:
            self._from_workers += msgspec.json.decode(sent, type=list[SurveyEntry])

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> Iterator[None]:
        """Send the entries to the controller; else let what the audit found fail the session.

        pytest's own last line is green then, so one in red follows it.
        """
        failure = ""
        self._auditor.finish(is_cut_short=exitstatus == pytest.ExitCode.INTERRUPTED)
        if self._is_worker:
            entries = self._auditor.all_entries()
            session.config.workeroutput[SENT] = msgspec.json.encode(entries)  # type: ignore[attr-defined]
        elif exitstatus == pytest.ExitCode.OK and not self._files.baseline:
            failure = self._failure(self._survey())
        if failure:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
        yield
        terminal: Any = session.config.pluginmanager.get_plugin("terminalreporter")
        if failure and terminal:
            terminal.write_sep("=", f"the tests passed, {failure}", red=True, bold=True)

    def _failure(self, survey: Survey) -> str:
        """Why a session fails whose tests pass; `""` if it does not."""
        if wrong := survey.of("wrong"):
            return f"the audit found errors in {classes(len(wrong))}"
        if not self._is_strict:
            return ""
        if unseen := [*survey.of("refused"), *survey.of("partly")]:
            return f"{classes(len(unseen))} not audited in full"
        return "the baseline has entries that are gone" if survey.unused else ""

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        survey = self._survey()
        terminalreporter.section("modules audited on CUDA")
        for line in survey_lines(survey, terminalreporter._tw.fullwidth):
            terminalreporter.write_line(line.text, **MARKUP.get(line.mood or "", {}))
        if report := self._files.report:
            report.write_text(_as_file(survey, report), encoding="utf-8")
            terminalreporter.write_line(f"Report: {report}")
        if baseline := self._files.baseline:
            baseline.write_text(write_baseline(survey.reports), encoding="utf-8")
            terminalreporter.write_line(f"Baseline: {baseline}")

    def _survey(self) -> Survey:
        """An entry for each class, from this process and all workers, without what is meant."""
        found = [*self._auditor.all_entries(), *self._from_workers]
        entries = one_entry_per_class(entry.selected(self._choice) for entry in found)
        reports = [entry.report for entry in found if entry.report]
        device = next((report.device for report in reports), "none")
        unused = tuple(unused_entries(self._choice.known, reports, text_at))
        return Survey("this test suite", device, entries, unused=unused)


def one_entry_per_class(entries: Iterable[SurveyEntry]) -> tuple[SurveyEntry, ...]:
    """One entry for each class: that of the worst outcome, with the findings of all."""

    def by_name(entry: SurveyEntry) -> str:
        return entry.name

    ordered = sorted(entries, key=by_name)
    return tuple(_join_entries(list(group)) for _, group in groupby(ordered, by_name))


def _join_entries(entries: list[SurveyEntry]) -> SurveyEntry:
    worst = min(entries, key=lambda entry: OUTCOMES.index(entry.outcome))
    if worst.report is None:
        return worst
    found: dict[tuple[str, str, int], Finding] = {}
    for entry in (worst, *entries):
        for finding in entry.report.findings if entry.report else ():
            found.setdefault((finding.code, finding.where, finding.line), finding)
    # `sorted` keeps the order of equals: errors first, as the judge gives them.
    findings = tuple(sorted(found.values(), key=lambda finding: finding.severity))
    return replace(worst, report=replace(worst.report, findings=findings))


def _as_file(survey: Survey, path: Path) -> str:
    from grader.auditing.survey.faces.data import survey_json
    from grader.auditing.survey.faces.page import survey_page

    return survey_page(survey) if path.suffix in (".html", ".htm") else survey_json(survey)
