"""NumPy arrays among the outputs: their numbers are read, as a tensor's are."""

import numpy as np
import pytest

from grader.probe.inspection.values import outputs_of


@pytest.mark.parametrize("dtype", ["float32", "int64", "bool"])
def test_the_numbers_of_an_array_are_read(dtype):
    (found,) = outputs_of(np.array([[0, 1], [1, 1]], dtype=dtype))

    assert (found.type, found.device, found.dtype, found.shape) == ("ndarray", "", dtype, (2, 2))
    assert found.values is not None
    assert found.values.numbers().tolist() == [0.0, 1.0, 1.0, 1.0]


def test_an_array_of_objects_has_none():
    (found,) = outputs_of(np.array([None, "a"], dtype=object))

    assert (found.type, found.values) == ("ndarray", None)
