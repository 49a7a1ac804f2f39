"""The first report names every fault: fixed one after the other, no further one comes to light."""

from collections import Counter
from collections.abc import Iterator
from itertools import islice, pairwise
from pathlib import Path

import pytest
from declared import starter_and_mistakes
from pasting import Judge, loaded, where_of

from grader.auditing.one_module import audit
from grader.course.catalog import stems
from grader.grading import grade as grading
from grader.judge.fixes import apply_edits
from grader.schema.report import Finding, Report

HERE = Path(__file__).resolve().parent
AUDIT = HERE.parent / "auditing"
AUDIT_CASES = sorted((AUDIT / "cases").glob("*.py"))
VARIATIONS = (AUDIT / "variations.py").read_text(encoding="utf-8")
MOST_FIXES, PARTS = 12, 8
EXCEPTIONS = {
    "07b_evaluation the starter": "a result may be meant for the CPU, so it is not brought along",
    "07b_evaluation BroughtBack": "a result may be meant for the CPU, so it is not brought along",
    "03b_causal_block ResultDropped": "a buffer that is registered needs no `.to`, too",
    "14_big_models MadeOnTheCpu": "what is not registered is not among what `to_empty` left empty",
    "14_big_models PlainTables": "what is not registered is not among what `to_empty` left empty",
}


def errors(report: Report) -> list[Finding]:
    """Them, and what only a call before the move makes stale: those are warnings."""
    stale = ("stale-device", "stale-optimizer")
    return [f for f in report.findings if f.severity == "error" or f.code in stale]


def fixed_one_by_one(text: str, judge: Judge) -> Iterator[tuple[Finding | None, Report]]:
    """The first report, then each finding whose printed fix was made, and the report after it."""
    report = judge(text)
    yield None, report
    for _ in range(MOST_FIXES):
        finding = next((finding for finding in errors(report) if finding.edits), None)
        if finding is None:
            return
        text, before = apply_edits(text, finding.edits), places(report)
        report = judge(text)
        yield finding, report
        if places(report)[place(finding)] >= before[place(finding)]:
            return


def place(finding: Finding) -> tuple[str, str]:
    """What it is; of the elements of one container the first is named, whichever that is."""
    return finding.code, where_of(finding).partition("[")[0]


def places(report: Report) -> Counter[tuple[str, str]]:
    return Counter(map(place, errors(report)))


def surprises(text: str, judge: Judge) -> list[str]:
    """What came to light only after a fix, and what went with the fix of something else."""
    reports = list(fixed_one_by_one(text, judge))
    expected = places(reports[0][1])
    found = []
    for (_, before), (fixed, after) in pairwise(reports):
        expected -= Counter([place(fixed)])
        found += [f"after {place(fixed)}: {new}" for new in places(after) - expected]
        on_line = {edit.line for edit in fixed.edits}
        here = [f for f in errors(before) if f.line in on_line and f is not fixed]
        gone = places(before) - places(after) - Counter([place(fixed), *map(place, here)])
        found += [f"with {place(fixed)}: {other}" for other in gone]
    return found


def assert_no_surprise(name: str, text: str, judge: Judge) -> None:
    """A listed exception surprises; no other case does."""
    found = surprises(text, judge)
    assert bool(found) is (name in EXCEPTIONS), found


def test_at_most_one_case_in_twenty_is_an_exception(tmp_path):
    cases = [
        [f"{stem} {name}" for name, *_ in starter_and_mistakes(stem, tmp_path)] for stem in stems()
    ]
    starters, mistakes = {names[0] for names in cases}, {n for names in cases for n in names[1:]}

    assert EXCEPTIONS.keys() <= starters | mistakes
    for kind in (starters, mistakes):
        assert len(kind & EXCEPTIONS.keys()) <= len(kind) / 20


@pytest.mark.search
@pytest.mark.parametrize("path", AUDIT_CASES, ids=lambda path: path.stem)
def test_every_fault_of_an_audited_bug_is_told_at_first(path, tmp_path):
    def judge(text: str) -> Report:
        case = loaded(text, tmp_path)
        return audit(case.BUGGY, case.example_input, "simulated")

    assert_no_surprise(path.stem, path.read_text(encoding="utf-8"), judge)


@pytest.mark.search
@pytest.mark.parametrize("part", range(PARTS))
def test_every_fault_of_the_variations_is_told_at_first(part, tmp_path):
    for number in range(part, len(loaded(VARIATIONS, tmp_path).PAIRS), PARTS):

        def judge(text: str, number: int = number) -> Report:
            pair = loaded(text, tmp_path).PAIRS[number]
            return audit(pair.wrong, pair.inputs, "simulated")

        assert_no_surprise(f"variation {number}", VARIATIONS, judge)


@pytest.mark.search
@pytest.mark.parametrize("stem", stems())
def test_every_fault_of_the_starter_is_told_at_first(stem, tmp_path):
    name, text, judge = next(starter_and_mistakes(stem, tmp_path))

    assert_no_surprise(f"{stem} {name}", text, judge)


@pytest.mark.search
@pytest.mark.parametrize("stem", stems())
def test_every_fault_of_the_declared_mistakes_is_told_at_first(stem, tmp_path, monkeypatch):
    monkeypatch.setattr(grading, "fresh_seed", lambda: 7)
    for name, text, judge in islice(starter_and_mistakes(stem, tmp_path), 1, None):
        assert_no_surprise(f"{stem} {name}", text, judge)
