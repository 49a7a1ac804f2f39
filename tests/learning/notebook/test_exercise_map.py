"""`predict("03")`: at an exercise, the prediction is made on the device map of its starter."""

import pytest

from grader import predict
from grader.course.catalog import all_rubrics, find
from grader.learning.notebook.prediction import starter_map

# What of each starter is still on the CPU after `.cuda()`; the others' tensors all move.
STAY = {
    "03": {"self.mean", "self.std"},
    "03b": {"self.future", "self.distance"},
    "10b": {"self.losses['kind'].weight"},
    "11": {"self.average", "self.met"},
}


@pytest.mark.parametrize("rubric", all_rubrics(), ids=lambda rubric: rubric.number)
def test_each_starter_can_be_predicted(rubric, course):
    shown = starter_map(rubric)
    for path in STAY.get(rubric.number, ()):
        shown.pick(path)

    shown.move("cuda:0")

    assert "moved to cuda:0" in shown.message
    if rubric.number in STAY:
        assert shown.message.startswith("You predicted it right.")
        stayed = {leaf.path for leaf in shown.picture.leaves if leaf.device == "cpu"}
        assert stayed == STAY[rubric.number]


def test_it_is_the_starter_and_not_what_the_learner_made_of_it(course):
    (course / "exercises" / f"{find('03').stem}.py").write_text("raise RuntimeError\n")

    assert {leaf.path for leaf in starter_map(find("03")).picture.leaves} == STAY["03"]


def test_without_a_notebook_the_map_is_printed(course, capsys):
    predict("03")

    printed = capsys.readouterr().out
    assert "? mean" in printed
    assert "Which of these tensors will stay behind" in printed
