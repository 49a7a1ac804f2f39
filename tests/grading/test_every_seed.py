"""No verdict hangs on the seed that a check happens to draw.

A push judges each answer once (`test_known_answers.py`), the night with eight seeds more.
"""

from functools import cache

import pytest

from grader.course.catalog import all_rubrics, find, solution_file
from grader.grading.grade import grade_class
from grader.loading import class_of, execute, read_source
from grader.probe.device import cuda_device
from verify.variants import variants_file

SEEDS = range(8)
EACH = [
    pytest.param(rubric, seed, id=f"{rubric.number} with seed {seed}")
    for rubric in all_rubrics()
    for seed in SEEDS
]


@cache
def answers(stem):
    """The solution and each declared answer, by name, and whether it is right."""
    path, name = solution_file(stem), find(stem).class_name
    found = [("the solution", class_of(execute(read_source(path), path), name), True)]
    path = variants_file(stem)
    with cuda_device("simulated"):  # some ask for it when they are imported
        declared = vars(execute(read_source(path), path))
    for name in (*declared["ACCEPTED"], *declared["MISTAKES"]):
        found.append((name, declared[name], name in declared["ACCEPTED"]))
    return found


@pytest.mark.nightly
@pytest.mark.parametrize(("rubric", "seed"), EACH)
def test_every_answer_is_judged_as_declared_whatever_is_drawn(rubric, seed, monkeypatch):
    monkeypatch.setattr("grader.grading.grade.fresh_seed", lambda: seed)

    wrong = {
        name: report.verdict
        for name, cls, is_right in answers(rubric.stem)
        for report in [grade_class(rubric, cls, "simulated")]
        if report.verdict != ("passed" if is_right else "failed")
    }

    assert wrong == {}
