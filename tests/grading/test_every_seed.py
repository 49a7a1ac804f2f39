"""No verdict hangs on the seed that a check happens to draw.

A push judges each answer once (`test_known_answers.py`), the night with eight seeds more;
`make verify SEEDS=200` judges with as many as one has time for.
"""

import pytest

from grader.course.catalog import all_rubrics
from verify.try_seeds import other_verdicts

SEEDS = range(8)
EACH = [
    pytest.param(rubric, seed, id=f"{rubric.number} with seed {seed}")
    for rubric in all_rubrics()
    for seed in SEEDS
]


@pytest.mark.nightly
@pytest.mark.parametrize(("rubric", "seed"), EACH)
def test_every_answer_is_judged_as_declared_whatever_is_drawn(rubric, seed):
    others = dict(other_verdicts(rubric, [seed]))

    assert len(others) > 2
    assert {name: verdicts for name, verdicts in others.items() if verdicts} == {}
