"""Many mutants in one process: each gets its verdict, whatever becomes of the others."""

import os
import time

import pytest

from grader.course.catalog import find, solution_file
from verify import screen
from verify.mutants import Mutant
from verify.screen import screen_mutants

RUBRIC = find("04")
SOLUTION = solution_file(RUBRIC.stem).read_text(encoding="utf-8")


def mutants(*sources):
    return [(RUBRIC.class_name, Mutant("none", 1, "", "", source, ())) for source in sources]


def test_each_gets_the_verdict_of_the_grader():
    wrong = SOLUTION.replace("nn.Parameter", "")
    tried = mutants(SOLUTION, wrong, SOLUTION, "raise ValueError", "x = 1")

    passed, failed, again, *broken = screen_mutants(RUBRIC, "simulated", tried)

    assert (passed, failed, again) == ("passed", "failed", "passed")
    assert broken == ["not_defined", "not_defined"]


ENDS = {"hangs": lambda: time.sleep(60), "dies": lambda: os._exit(1)}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="only a forked process has the patched verdict")
@pytest.mark.parametrize("end", ENDS.values(), ids=ENDS)
def test_one_that_hangs_or_dies_has_none_and_the_next_ones_have(monkeypatch, end):
    def verdict(_rubric, _device, _name, mutant):
        return end() if mutant.source == "ends" else mutant.source

    monkeypatch.setattr(screen, "PATIENCE", 1.0)
    monkeypatch.setattr(screen, "_verdict", verdict)

    assert screen_mutants(RUBRIC, "simulated", mutants("a", "ends", "b")) == ["a", None, "b"]
