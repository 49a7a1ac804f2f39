"""Each public bug is found, with its code and place; no fixed version is accused of anything."""

from pathlib import Path

import pytest
from case_files import HERE, files, fixed_forms, load
from pasting import assert_fixes_work, loaded
from variations import PAIRS, Comprehension, NestedFunction

from grader.auditing.one_module import audit
from grader.judge.codes import Code
from grader.schema.report import Report

CASES = files("cases")
VARIATIONS = (HERE / "variations.py").read_text(encoding="utf-8")


def errors(report: Report) -> list:
    return [finding for finding in report.findings if finding.severity == "error"]


@pytest.mark.parametrize("path", CASES)
def test_a_bug_is_found_and_its_fixes_pass(path: Path, tmp_path: Path):
    text = path.read_text(encoding="utf-8")
    case = loaded(text, tmp_path)

    def judge(text: str) -> Report:
        case = loaded(text, tmp_path)
        return audit(case.BUGGY, case.example_input)

    report = assert_fixes_work(text, judge)

    severity = getattr(case, "SEVERITY", "error")
    found = [e for e in report.findings if (e.code, e.severity) == (case.CODE, severity)]
    assert found, (report.message, report.findings)
    assert report.verdict == ("failed" if errors(report) else "passed")
    assert {error.code for error in errors(report)} <= {case.CODE}
    if hasattr(case, "WHERE"):
        assert case.WHERE in [finding.where for finding in found]
    if hasattr(case, "LINE_HAS"):
        lines = [text.splitlines()[finding.line - 1] for finding in found if finding.line]
        assert any(case.LINE_HAS in line for line in lines), found
    for fixed in fixed_forms(path, tmp_path):
        report = audit(fixed, case.example_input)
        assert (errors(report), report.verdict) == ([], "passed")


@pytest.mark.parametrize(
    "number", range(len(PAIRS)), ids=lambda number: PAIRS[number].wrong.__name__
)
def test_a_variation_is_found_and_its_fixed_twin_passes(number: int, tmp_path: Path):
    def judge(text: str) -> Report:
        pair = loaded(text, tmp_path).PAIRS[number]
        return audit(pair.wrong, pair.inputs)

    pair = PAIRS[number]
    wrong, right = assert_fixes_work(VARIATIONS, judge), audit(pair.right, pair.inputs)

    assert {f.code for f in wrong.findings if f.severity == pair.severity} == {pair.code}
    assert (errors(right), right.verdict) == ([], "passed")


@pytest.mark.parametrize("wrong", [Comprehension, NestedFunction])
def test_a_fix_names_what_the_function_around_holds(wrong):
    (found,) = audit(wrong, PAIRS[0].inputs).findings

    assert "device=x.device" in found.edits[0].after


def test_every_case_names_its_thread():
    for path in (HERE / "cases").glob("*.py"):
        assert "https://" in (load(path).__doc__ or ""), path.name


def test_there_are_cases_of_every_code():
    assert {load(path).CODE for path in (HERE / "cases").glob("*.py")} == set(Code)
