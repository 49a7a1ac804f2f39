"""No words of ours are data: with other words, what a report leads to is the same.

Each module is probed once and judged twice, the second time with other words from the probe, from
every rule and in the report. The words of exceptions stay: those are Python's and PyTorch's.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
import torch
from declared import starter_and_mistakes
from literal import replace
from pasting import loaded
from torch import nn

from grader.auditing import audit, one_module
from grader.auditing.survey.survey import SurveyEntry
from grader.course import find, stems
from grader.grading import grade
from grader.judge import audit as audit_reports
from grader.judge import verdict
from grader.judge.findings import Rule, RuleContext, Sighting
from grader.judge.fixes import MAY_BE_MEANT
from grader.judge.verdict import judge
from grader.learning.overview import overview_line, overview_summary
from grader.probe.answer import exercise_subject
from grader.probe.run import run_probe
from grader.probe.sequence import Step
from grader.render.parts import check_word, headline, mood
from grader.schema import Check, Evidence, Report, Rubric, Skipped, Stage

CASES = Path(__file__).resolve().parents[1] / "auditing" / "cases"
EACH_MISTAKE = 8
OTHER = "Other words."
PROSE = ("message", "fix", "text", "title", "why", "what", "next_step", "exception")
INPUTS = (torch.zeros(2, 3),)


def reworded(part: Any) -> Any:
    """A record with other words in each of its own sentences."""
    return part and replace(part, **{name: OTHER for name in PROSE if getattr(part, name, "")})


def problem_reworded(evidence: Evidence) -> Evidence:
    """Evidence with other words from the probe."""
    told = {
        name: reworded(raised)
        for name in ("undefined", "construction", "broken")
        if (raised := getattr(evidence, name)) and not raised.is_exception
    }
    return replace(evidence, skipped=tuple(map(reworded, evidence.skipped)), **told)


def report_reworded(report: Report) -> Report:
    """A report with other words throughout."""
    return replace(
        reworded(report),
        checks=tuple(map(reworded, report.checks)),
        findings=tuple(map(reworded, report.findings)),
        flags=tuple(map(reworded, report.flags)),
        notes=(OTHER,) * len(report.notes),
        left_out=(OTHER,) * len(report.left_out),
        failure=reworded(report.failure),
    )


def rules_reworded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every rule use other words, and every fix be made from such a finding."""
    find_all, with_fixes = Rule.find, verdict.with_fixes

    def found(rule: Rule, facts: RuleContext) -> Iterator[Sighting]:
        for sighting in find_all(rule, facts):
            yield replace(sighting, finding=reworded(sighting.finding))

    def fixed(findings: Iterable[Any], *rest: Any, **more: Any) -> Iterator[Any]:
        return with_fixes(map(reworded, findings), *rest, **more)

    monkeypatch.setattr(Rule, "find", found)
    for module in (audit_reports, verdict):
        monkeypatch.setattr(module, "with_fixes", fixed)


def outcome(report: Report) -> list[object]:
    """All that depends on a report and is no prose."""
    refusal = SurveyEntry("Net", "net.py", 1).with_report(report).refusal
    return [
        (report.verdict, report.exit_code, report.score, report.max_score, report.meant),
        (headline(report), mood(report), refusal and refusal.kind),
        (len(report.notes), len(report.left_out), [(f.kind, f.line) for f in report.flags]),
        *((c.name, c.passed, c.points, c.max_points, check_word(c)) for c in report.checks),
        *((f.code, f.severity, f.where, f.file, f.line, f.edits) for f in report.findings),
    ]


def meant(report: Report) -> list[bool]:
    """Of each finding, whether its fix says how to mark it as meant."""
    prefixes = (MAY_BE_MEANT.format(code=finding.code) for finding in report.findings)
    return [f.fix.startswith(p) for f, p in zip(report.findings, prefixes, strict=True)]


@pytest.fixture
def reports(monkeypatch: pytest.MonkeyPatch) -> list[Report]:
    """What was judged so far, each compared with what other words give."""
    judged: list[Report] = []

    def twice(judge: Callable[..., Report], evidence: Evidence, *args: Any, **more: Any) -> Report:
        report = judge(evidence, *args, **more)
        with monkeypatch.context() as patched:
            rules_reworded(patched)
            other = judge(problem_reworded(evidence), *args, **more)
        assert outcome(other) == outcome(report) == outcome(report_reworded(report))
        assert meant(other) == meant(report)
        judged.append(report)
        return report

    monkeypatch.setattr(grade, "judge", partial(twice, grade.judge))
    monkeypatch.setattr(one_module, "judge_audit", partial(twice, one_module.judge_audit))
    return judged


@pytest.mark.parametrize("stem", stems())
def test_starters(stem, tmp_path, reports):
    _, text, judge_text = next(starter_and_mistakes(stem, tmp_path))
    judge_text(text)

    assert reports


@pytest.mark.search
@pytest.mark.parametrize("stem", stems())
def test_mistakes(stem, tmp_path, reports):
    for _, text, judge_text in islice(starter_and_mistakes(stem, tmp_path), 1, None, EACH_MISTAKE):
        judge_text(text)

    assert reports


@pytest.mark.search
@pytest.mark.parametrize("path", sorted(CASES.glob("*.py")), ids=lambda path: path.stem)
def test_audited_bugs(path, tmp_path, reports):
    case = loaded(path.read_text(encoding="utf-8"), tmp_path)
    audit(case.BUGGY, case.example_input, "simulated")

    assert reports


class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Parameter(torch.ones(3))
        self.second = nn.Parameter(torch.ones(3))
        self.second.data = self.first.data

    def forward(self, x):
        return x * self.first + self.second


class Unused(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(3, 3)
        self.table = torch.ones(3)

    def forward(self, x):
        return self.linear(x)


def test_a_fix_is_chosen_without_words(reports):
    audit(Tied, INPUTS, "simulated")

    *_, report = reports
    assert any(finding.edits for finding in report.findings)


def test_what_may_be_meant_is_told_without_words(reports):
    audit(Unused, None, "simulated")

    *_, report = reports
    assert any(meant(report))


class Unbuilt(nn.Module):
    def __init__(self):
        raise ValueError("never")


class Uncalled(nn.Module):
    def forward(self, x):
        raise ValueError("never")


@pytest.mark.parametrize(
    ("cls", "kind"), [(Unbuilt, "cannot be built again"), (Uncalled, "fails on the CPU")]
)
def test_a_survey_counts_without_words(cls, kind, reports):
    audit(cls, INPUTS, "simulated")

    *_, report = reports
    refusal = SurveyEntry("Net", "net.py", 1).with_report(report_reworded(report)).refusal
    assert refusal
    assert refusal.kind == kind


def without_memory(*_: object) -> Evidence:
    raise MemoryError


def test_that_memory_ran_out_is_told_without_words():
    rubric = find("04")
    subject = exercise_subject(nn.Identity, rubric.recipe, (), seed=7)
    evidence = run_probe(subject, "none", (Step(Stage.AUDIT, without_memory),))

    assert evidence.skipped == (Skipped(Stage.AUDIT, "audit", "MemoryError: ", True, True),)
    report = judge(problem_reworded(evidence), rubric, ())
    assert report.verdict == "out_of_memory"


def test_the_overview_needs_no_title():
    rubric: Rubric = find("04")
    report = Report("failed", "none", OTHER, checks=(Check("training", False, 0, 1, OTHER),))

    assert overview_line(rubric, report, 20).plain.split()[1] == "04"
    assert "`grader check 04`" in overview_summary([(rubric, report)])[-1]


def test_a_reason_is_cut_by_the_status_alone():
    not_run = Check.not_run("training", 2, "run: it was late")

    assert not_run.reason == "run: it was late"
    assert Check("training", True, 2, 2, "run: it is right").reason == "run: it is right"
