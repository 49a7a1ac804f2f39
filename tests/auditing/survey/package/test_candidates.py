"""What a constructor's parameter may be, by its description."""

import pytest

from grader.auditing.survey.package.candidates import candidates_for, documented, parameters_of


class Sphinx:
    """A layer.

    :param int rank: of the factors
    :param ~nets.Kernel kernel: what compares
    :param shift: is added
    :type shift: torch.Tensor
    """


class Google(Sphinx):
    def __init__(self, dims, scale):
        """Build it.

        Args:
            dims (list of int): the sizes
            scale: a float
        """


class Numpy:
    """A layer.

    Parameters
    ----------
    irreps : `Irreps`
        of the input
    """


@pytest.mark.parametrize(
    ("cls", "name", "line"),
    [
        (Sphinx, "rank", ":param int rank: of the factors"),
        (Sphinx, "kernel", ":param ~nets.Kernel kernel: what compares"),
        (Sphinx, "shift", ":param shift: is added :type shift: torch.Tensor"),
        (Google, "dims", "dims (list of int): the sizes"),
        (Google, "scale", "scale: a float"),
        (Google, "rank", ":param int rank: of the factors"),
        (Numpy, "irreps", "irreps : `Irreps`"),
        (Numpy, "rank", ""),
    ],
)
def test_the_line_with_its_type(cls, name, line):
    assert documented(cls, name) == line


def test_the_type_decides_and_not_the_words_after_it():
    class Sized:
        def __init__(self, size):
            """Build it.

            Args:
                size (int): of the tensor
            """

    assert not [value for value in candidates_for(Sized, "size") if "torch" in value]


def test_only_a_description_makes_a_tensor():
    assert "torch.rand(8)" in candidates_for(Sphinx, "shift")
    assert "torch.rand(8)" not in candidates_for(Numpy, "whatever")


def test_parameters_of_bases_count_too():
    assert parameters_of(Google) == ["dims", "scale"]
