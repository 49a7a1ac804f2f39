"""What a report says where no gradient, or another one, comes back from an output."""

from literal import output, replace

from grader.judge.outputs import differences
from grader.schema import Values


def reaching(**lengths):
    """An output from which gradients of these lengths come back."""
    gradients = Values.of(lengths.values())
    return replace(output(), requires_grad=True, reaches=tuple(lengths), gradients=gradients)


def told(actual, expected, *random):
    return "".join(differences((actual,), (expected,), random))


def test_a_gradient_that_does_not_come_back_is_told():
    whole, half = reaching(weight=2.0, bias=1.0), reaching(weight=1.0, bias=1.0)

    assert told(whole, whole) == ""
    assert "comes back from output to `bias`" in told(reaching(weight=2.0, bias=0.0), whole)
    assert "comes back from it to `weight` is another one" in told(half, whole)
    assert "`detach()`" not in told(half, whole)  # what comes back was not cut off
    assert told(half, whole, "output") == ""


def test_other_numbers_are_told_before_another_gradient():
    whole = reaching(weight=2.0)
    other = replace(reaching(weight=1.0), values=Values.of((1.0, 9.0)))

    message = told(other, whole)

    assert "are not what the same state and inputs should give" in message
    assert "gradient" not in message


def test_where_random_numbers_are_drawn_the_data_may_be_changed_without_a_gradient():
    whole = reaching(weight=2.0, input=1.0)

    cut = reaching(weight=2.0, input=0.0)

    assert "to `input`" in told(cut, whole)
    assert told(cut, whole, "output") == ""
    assert "to `weight`" in told(reaching(weight=0.0, input=1.0), whole, "output")
    assert told(reaching(input=1.0), whole) == ""  # the role of `weight` is another check's
