"""The grader refuses mutants: a sample of them here, all by `make verify MUTANTS=1`."""

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from grader.course.catalog import all_rubrics, find
from verify import try_mutants as mutation
from verify.mutants import Mutant
from verify.try_mutants import equivalents, mutants_of_exercise, try_mutants
from verify.verify import totals_line, verify_mutants

SAMPLE = 8
TOOLS = Path(__file__).resolve().parents[4] / "tools"
RUBRIC = find("04")
SAME = Mutant("none", 1, "x - 1", "x + -1", "", ("forward", "x - 1", "->", "x + -1"))
OTHER = Mutant("sign", 1, "x - 1", "x + 1", "", ("forward", "x - 1", "->", "x + 1"))


@pytest.fixture
def judged(monkeypatch):
    """A mutant that passes, one that fails, and that one again; none of them is run."""
    mutants = [("Right", SAME), ("Right", OTHER), ("AlsoRight", OTHER)]
    monkeypatch.setattr(mutation, "mutants_of_exercise", lambda *_, **__: iter(mutants))
    monkeypatch.setattr(mutation, "screen_mutants", lambda *given: [None] * len(given[-1]))
    monkeypatch.setattr(mutation, "_verdict", _by_its_text)
    return lambda reasons, kind="equivalent": monkeypatch.setattr(
        mutation, "equivalents", lambda _, asked="equivalent": reasons if asked == kind else {}
    )


def _by_its_text(_rubric, _device, _name, mutant):
    return "passed" if mutant.after == "x + -1" else "failed"


def test_a_mutant_that_passes_has_survived(judged):
    judged({})

    *wrong, total = verify_mutants(RUBRIC, "simulated")

    assert wrong == [(f"✗ {RUBRIC.stem}: mutant of Right passes: {SAME}", False)]
    counts = "3 mutants, 1 refused, 0 equivalent, 1 duplicates not graded; survivors: 1"
    assert total == (f"✓ {RUBRIC.stem}: {counts}", True)


def test_one_that_is_listed_as_equivalent_has_not(judged):
    judged({("x - 1", "x + -1"): "the same number"})

    tried = list(try_mutants(RUBRIC, "simulated"))
    outcomes = [(trial.outcome, trial.reason) for trial in tried if trial.outcome != "duplicate"]

    assert outcomes == [("equivalent", "the same number"), ("refused", "")]


@pytest.mark.parametrize(("verdict", "outcome"), [("passed", "equivalent"), ("failed", "refused")])
def test_one_that_the_rubric_permits_may_pass(judged, monkeypatch, verdict, outcome):
    judged({})
    monkeypatch.setattr(mutation, "permitted", lambda *_: True)
    monkeypatch.setattr(mutation, "_verdict", lambda *_: verdict)

    outcomes = {trial.outcome for trial in try_mutants(RUBRIC, "simulated") if trial.verdict}

    assert outcomes == {outcome}


def test_the_same_change_of_the_same_line_in_another_answer_is_not_graded_again(judged):
    judged({})

    duplicates = [mutant for mutant in try_mutants(RUBRIC, "simulated") if mutant.verdict is None]

    assert [(duplicate.answer, duplicate.mutant) for duplicate in duplicates] == [
        ("AlsoRight", OTHER)
    ]


def test_the_totals_of_several_exercises_say_that_none_survived(judged):
    judged({("x - 1", "x + -1"): "the same number"})
    outcomes = Counter()

    for _ in range(2):
        list(verify_mutants(RUBRIC, "simulated", outcomes=outcomes))

    counts = "6 mutants, 2 refused, 2 equivalent, 2 duplicates not graded"
    assert totals_line(outcomes) == f"{counts}; survivors: none"


def test_one_that_either_passes_or_fails_is_no_problem(judged):
    judged(dict.fromkeys([("x - 1", "x + -1"), ("x - 1", "x + 1")], "hardly"), kind="either")

    tried = try_mutants(RUBRIC, "simulated")

    assert [trial.outcome for trial in tried] == ["duplicate", "equivalent", "refused"]


def test_one_that_is_listed_and_fails_is_a_problem(judged):
    judged({("x - 1", "x + 1"): "so we thought"})

    assert sum(not is_right for _, is_right in verify_mutants(RUBRIC, "simulated")) == 2


@pytest.mark.search
@pytest.mark.parametrize("rubric", all_rubrics(), ids=lambda rubric: rubric.stem)
def test_what_is_listed_as_equivalent_is_a_mutant_and_has_a_reason(rubric):
    made = {(mutant.before, mutant.after) for _, mutant in mutants_of_exercise(rubric)}
    listed = equivalents(rubric) | equivalents(rubric, "either")

    assert listed.keys() <= made
    assert all(len(reason.split()) > 3 for reason in listed.values())


# In a Python of its own: after it has asked for threads, no fork of this one could `unshare`.
SEVERAL_THREADS = """
import torch
from grader.course.catalog import find
from verify import try_mutants as mutation

def by_a_softmax(*_):
    torch.rand(2_000, 200).softmax(-1)
    return "failed"

mutation.screen_mutants = lambda *given: [None] * len(given[-1])
mutation._verdict = by_a_softmax
torch.set_num_threads(2)
by_a_softmax()
print(sorted({mutant.outcome for mutant in mutation.try_mutants(find("04"), every=40)}))
"""


def test_a_process_that_has_used_several_threads_can_grade_in_others():
    """OpenMP's threads stay behind when a process is forked."""
    command = [sys.executable, "-c", SEVERAL_THREADS]

    ran = subprocess.run(command, capture_output=True, text=True, cwd=TOOLS)

    assert (ran.stdout, ran.returncode) == ("['duplicate', 'refused']\n", 0), ran.stderr


@pytest.mark.search
@pytest.mark.slow
@pytest.mark.parametrize("rubric", all_rubrics(), ids=lambda rubric: rubric.stem)
def test_a_sample_is_judged_as_declared(rubric):
    number = len({mutant.edit for _, mutant in mutants_of_exercise(rubric)})
    wrong = ("survived", "refused though equivalent")

    tried = try_mutants(rubric, every=-(-number // SAMPLE), jobs=1)

    assert [str(trial.mutant) for trial in tried if trial.outcome in wrong] == []
