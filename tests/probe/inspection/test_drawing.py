"""What inputs are drawn."""

from grader.probe.inspection.values import draw
from grader.schema.recipe import Input


def test_labels_are_never_all_the_same():
    # All the same, the weights of classes cancel each other in a mean, and who loses them passes.
    labels = [draw((Input((6,), "integers", high=3),), seed)[0] for seed in range(2000)]

    assert all(len(drawn.unique()) > 1 for drawn in labels)
    assert {int(label) for drawn in labels for label in drawn} == {0, 1, 2}


def test_one_number_is_any():
    assert {int(draw((Input((), "integers", high=2),), seed)[0]) for seed in range(50)} == {0, 1}
