"""Every notebook, run whole with the solutions in place of the starters, ends in passed checks."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from grader.course.catalog import all_rubrics

TOOL = Path(__file__).resolve().parents[2] / "tools" / "solve_notebooks.py"


@pytest.mark.nightly
@pytest.mark.slow
def test_with_the_solutions_every_check_passes() -> None:
    run = subprocess.run([sys.executable, TOOL], capture_output=True, text=True, timeout=600)
    assert run.stdout, run.stderr
    assert json.loads(run.stdout) == {rubric.number: "passed" for rubric in all_rubrics()}
