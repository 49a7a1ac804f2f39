"""A batch is graded whatever its caller has done with threads before."""

import subprocess
import sys

from handing_in import hand_in

from grader.classroom.results.ledger import read_ledger
from grader.course.catalog import solution_file

STEM = "03_member_tensors"
BATCH = """
import sys
from pathlib import Path

import torch

torch.set_num_threads(2)
torch.rand(2_000, 200).softmax(-1)

from grader.classroom.batch import BatchOptions, run_batch

run_batch(Path(sys.argv[1]), Path(sys.argv[2]), BatchOptions(jobs=1), lambda _: lambda: None)
"""


def test_a_caller_that_has_computed_in_several_threads_can_grade(tmp_path):
    answers, out = tmp_path / "in", tmp_path / "out"
    hand_in(answers, {f"ada/{STEM}.py": solution_file(STEM).read_text(encoding="utf-8")})

    subprocess.run([sys.executable, "-c", BATCH, str(answers), str(out)], check=True)

    assert [entry.report.verdict for entry in read_ledger(out)] == ["passed"]
