"""Each public bug is found, with its code and place; no fixed version is accused of anything."""

from pathlib import Path

import pytest
from case_files import HERE, files, load
from pasting import loaded, pasted
from variations import PAIRS, Pair

from grader.auditing.one_module import audit
from grader.judge.codes import Code
from grader.schema.report import Report

CASES = files("cases")


def errors(report: Report) -> list:
    return [finding for finding in report.findings if finding.severity == "error"]


@pytest.mark.parametrize("path", CASES)
def test_a_bug_is_found(path: Path):
    case = load(path)

    report = audit(case.BUGGY, case.example_input)

    severity = getattr(case, "SEVERITY", "error")
    found = [e for e in report.findings if (e.code, e.severity) == (case.CODE, severity)]
    assert found, (report.message, report.findings)
    assert report.verdict == ("failed" if errors(report) else "passed")
    assert {error.code for error in errors(report)} <= {case.CODE}
    if hasattr(case, "WHERE"):
        assert case.WHERE in [finding.where for finding in found]
    if hasattr(case, "LINE_HAS"):
        source = path.read_text(encoding="utf-8").splitlines()
        assert any(
            case.LINE_HAS in source[finding.line - 1] for finding in found if finding.line
        ), found


@pytest.mark.parametrize("path", CASES)
def test_what_mends_a_bug_passes(path: Path):
    case = load(path)

    reports = [audit(fixed, case.example_input) for fixed in case.FIXED]

    assert [errors(report) for report in reports] == [[] for _ in case.FIXED]
    assert [report.verdict for report in reports] == ["passed" for _ in case.FIXED]


@pytest.mark.parametrize("path", CASES)
def test_what_is_printed_as_code_mends_a_bug(path: Path, tmp_path: Path):
    text = path.read_text(encoding="utf-8")

    def judge(text: str) -> Report:
        case = loaded(text, tmp_path)
        return audit(case.BUGGY, case.example_input)

    assert [str(trial) for trial in pasted(text, judge(text), judge) if trial.problem] == []


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.wrong.__name__)
def test_a_variation_is_found_and_its_mended_twin_passes(pair: Pair):
    wrong, right = audit(pair.wrong, pair.inputs), audit(pair.right, pair.inputs)

    assert {f.code for f in wrong.findings if f.severity == pair.severity} == {pair.code}
    assert (errors(right), right.verdict) == ([], "passed")


def test_every_case_names_its_thread():
    for path in (HERE / "cases").glob("*.py"):
        assert "https://" in (load(path).__doc__ or ""), path.name


def test_there_are_cases_of_every_code():
    assert {load(path).CODE for path in (HERE / "cases").glob("*.py")} == set(Code)
