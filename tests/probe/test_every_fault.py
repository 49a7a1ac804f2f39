"""The first report names every fault: mended one after the other, no further one comes to light."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pasting import Judge

from grader.judge.fixes import apply_edits
from grader.schema.report import Finding, Report

AUDIT = Path(__file__).resolve().parents[1] / "auditing"
CASES = [pytest.param(path, id=path.stem) for path in sorted((AUDIT / "cases").glob("*.py"))]
VARIATIONS = (AUDIT / "variations.py").read_text(encoding="utf-8")
MOST_FIXES = 12


def mended(text: str, judge: Judge) -> Iterator[tuple[Finding | None, Report]]:
    """The first report, then each finding whose printed fix was made, and the report after it."""
    report = judge(text)
    yield None, report
    for _ in range(MOST_FIXES):
        finding = next((f for f in report.findings if f.edits and f.severity == "error"), None)
        if finding is None:
            return
        text = apply_edits(text, finding.edits)
        report = judge(text)
        yield finding, report
        if place(finding) in map(place, report.findings):
            return


def place(finding: Finding) -> tuple[str, str]:
    return finding.code, finding.where


def surprises(text: str, judge: Judge) -> list[str]:
    """What came to light only after a fix, and what went with the fix of something else."""
    reports = list(mended(text, judge))
    told = {place(finding) for finding in reports[0][1].findings}
    found = []
    for (_, before), (fixed, after) in zip(reports, reports[1:], strict=False):
        left = {place(f) for f in after.findings}
        new = [f for f in after.findings if place(f) not in told]
        found += [f"after {place(fixed)}: {f.code} {f.where} {f.line}" for f in new]
        lines = {edit.line for edit in fixed.edits}
        gone = [f for f in before.findings if place(f) not in left | {place(fixed)}]
        gone = [f for f in gone if f.line not in lines]
        found += [f"with {place(fixed)} went {place(f)}" for f in gone if f.severity == "error"]
    return found
