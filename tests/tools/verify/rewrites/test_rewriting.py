"""The grader accepts rewrites in full: a third of them here, all by `make verify MUTANTS=1`."""

from itertools import islice

import pytest

from grader.course.catalog import all_rubrics, find
from grader.schema.report import Report
from verify import try_rewrites as rewriting
from verify.rewrites import Rewrite
from verify.try_rewrites import try_rewrites
from verify.verify import verify_rewrites

RUBRIC = find("04")
REWRITES = (Rewrite("nn buffer", "class A: ..."), Rewrite("einsum", "class B: ..."))


def faults(rubric):
    tried = try_rewrites(rubric, "simulated", jobs=1)
    return [
        (rewrite.rule, report.verdict, report.score, report.findings)
        for rewrite, report in tried
        if report.verdict != "passed" or report.score != report.max_score or report.findings
    ]


def test_a_rewrite_that_fails_is_a_problem(monkeypatch):
    monkeypatch.setattr(rewriting, "rewrites_of", lambda *_: iter(REWRITES))
    monkeypatch.setattr(rewriting, "_graded", _by_its_rule)

    *wrong, total = verify_rewrites(RUBRIC, "simulated")

    assert wrong == [(f"✗ {RUBRIC.stem}: rewrite (einsum): failed; lost", False)]
    assert total == (f"✓ {RUBRIC.stem}: 2 rewrites of the solution tried", True)


def _by_its_rule(_rubric, _device, rewrite):
    verdict = "failed" if rewrite.rule == "einsum" else "passed"
    return Report(verdict, "cuda:0 (simulated)", message="lost")


@pytest.mark.search
@pytest.mark.slow
@pytest.mark.parametrize("rubric", all_rubrics(), ids=lambda rubric: rubric.stem)
def test_a_fifth_of_the_rewrites_pass_in_full(rubric, monkeypatch):
    every, first = rewriting.rewrites_of, all_rubrics().index(rubric) % 5
    a_fifth = lambda *answer: islice(every(*answer), first, None, 5)  # noqa: E731
    monkeypatch.setattr(rewriting, "rewrites_of", a_fifth)

    assert faults(rubric) == []
