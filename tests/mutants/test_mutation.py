"""The grader refuses mutants: a sample of them here, all by `grader verify --all --mutants`."""

import pytest

from grader import mutation
from grader.catalog import find, rubrics
from grader.mutants import Mutant
from grader.mutation import equivalents, mutants_of_exercise, try_mutants
from grader.verification import verify_mutants

SAMPLE = 6
RUBRIC = find("04")
SAME = Mutant("none", 1, "x - 1", "x + -1", "")


@pytest.fixture
def judged(monkeypatch):
    """Two mutants of which one passes and one fails, without running them."""
    mutants = [("Right", SAME), ("Right", Mutant("sign", 1, "x - 1", "x + 1", ""))]
    monkeypatch.setattr(mutation, "mutants_of_exercise", lambda *_, **__: iter(mutants))
    monkeypatch.setattr(mutation, "_verdict", _by_its_text)
    return lambda reasons: monkeypatch.setattr(mutation, "equivalents", lambda _: reasons)


def _by_its_text(_rubric, _device, mutant):
    return "passed" if mutant[1].after == "x + -1" else "failed"


def test_a_mutant_that_passes_has_survived(judged):
    judged({})

    *wrong, total = verify_mutants(RUBRIC, "simulated")

    assert wrong == [(f"✗ {RUBRIC.stem}: mutant of Right passes: {SAME}", False)]
    assert total == (f"✓ {RUBRIC.stem}: 2 mutants: 1 survived, 1 refused", True)


def test_one_that_is_listed_as_equivalent_has_not(judged):
    judged({("x - 1", "x + -1"): "the same number"})

    outcomes = [(each.outcome, each.reason) for each in try_mutants(RUBRIC, "simulated")]

    assert outcomes == [("equivalent", "the same number"), ("refused", "")]


def test_one_that_is_listed_and_fails_is_a_problem(judged):
    judged({("x - 1", "x + 1"): "so we thought"})

    assert sum(not is_right for _, is_right in verify_mutants(RUBRIC, "simulated")) == 2


@pytest.mark.parametrize("rubric", rubrics(), ids=lambda rubric: rubric.stem)
def test_what_is_listed_as_equivalent_is_a_mutant_and_has_a_reason(rubric):
    made = {(mutant.before, mutant.after) for _, mutant in mutants_of_exercise(rubric)}
    listed = equivalents(rubric)

    assert listed.keys() <= made
    assert all(len(reason.split()) > 3 for reason in listed.values())


@pytest.mark.slow
@pytest.mark.parametrize("rubric", rubrics(), ids=lambda rubric: rubric.stem)
def test_a_sample_is_judged_as_declared(rubric):
    number = len(list(mutants_of_exercise(rubric, accepted=False)))
    tried = try_mutants(rubric, every=max(number // SAMPLE, 1), accepted=False, jobs=1)

    assert [str(each.mutant) for each in tried if each.outcome.startswith("survived")] == []
