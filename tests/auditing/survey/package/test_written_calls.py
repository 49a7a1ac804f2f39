"""Classes that are built as a plan writes it."""

import torch
from torch import nn

from grader.auditing.survey.package.written_calls import maker


class Normalize(nn.Module):
    def __init__(self, mean: torch.Tensor) -> None:
        super().__init__()
        self.flags = {"mean": mean}
        self.noise = torch.randn(3)


def test_arguments_are_drawn_alike_and_the_constructor_draws_as_it_would():
    make = maker(Normalize, "torch.rand(3)")
    torch.manual_seed(1)
    expected = torch.randn(3)

    torch.manual_seed(1)
    one, other = make(), make()

    assert torch.equal(one.flags["mean"], other.flags["mean"])
    assert one.flags["mean"] is not other.flags["mean"]
    assert torch.equal(one.noise, expected)
    assert not torch.equal(one.noise, other.noise)
