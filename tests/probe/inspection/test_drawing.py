"""What inputs are drawn."""

import pytest

from grader.course.catalog import all_rubrics, find
from grader.probe.inspection.values import draw
from grader.schema.recipe import Input

SEEDS = range(200)
RUBRICS = pytest.mark.parametrize("rubric", all_rubrics(), ids=lambda rubric: rubric.number)


@RUBRICS
def test_each_kind_of_value_is_in_every_draw_of_an_exercise(rubric):
    sizes = rubric.recipe.arguments
    for specs in (rubric.recipe.inputs, rubric.recipe.later):
        for seed in SEEDS:
            for spec, drawn in zip(specs, draw(specs, seed, sizes), strict=True):
                if spec.kind != "normal":
                    high = 2 if spec.kind == "booleans" else sizes.get(spec.high, spec.high)
                    most = min(high, drawn.numel()) - len(spec.zeros)
                    assert len(drawn.unique()) >= most
                    assert [int(drawn[place]) for place in spec.zeros] == [0] * len(spec.zeros)


def test_a_story_has_no_word_in_the_middle_and_at_the_end():
    recipe = find("12").recipe

    for (spec,) in (recipe.inputs, recipe.later):
        places = {place[1] for place in spec.zeros}
        assert {1, spec.shape[1] - 1} <= places


def test_labels_are_never_all_the_same():
    # All the same, the weights of classes cancel each other in a mean, and who loses them passes.
    for seed in SEEDS:
        (drawn,) = draw((Input((6,), "integers", high=3),), seed)
        assert drawn[0] != drawn[-1]


def test_one_number_is_any():
    assert {int(draw((Input((), "integers", high=2),), seed)[0]) for seed in range(50)} == {0, 1}
