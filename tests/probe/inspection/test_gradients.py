"""How far gradients come back from each output."""

import torch
from torch import nn

from grader.probe.inspection.gradients import with_gradients
from grader.probe.inspection.inputs import Inputs
from grader.probe.inspection.values import outputs_of


class TwoOutputs(nn.Module):
    def __init__(self):
        super().__init__()
        self.one, self.other = nn.Linear(3, 2), nn.Linear(3, 2)

    def forward(self, x):
        return self.one(x), self.other(x.detach()), len(x)


def test_each_output_reaches_what_it_was_computed_from():
    module, x = TwoOutputs(), torch.randn(4, 3, requires_grad=True)
    returned = module(x)

    outputs = with_gradients(outputs_of(returned), returned, module, Inputs((x,)))

    reached = [
        {n for n, length in zip(o.reaches, o.gradients.numbers(), strict=True) if length}
        for o in outputs[:2]
    ]
    assert reached == [
        {"one.weight", "one.bias", "input[0]"},
        {"other.weight", "other.bias"},
    ]
    assert outputs[2].reaches == ()


def test_a_softmax_has_a_gradient_though_its_sum_is_constant():
    module, x = nn.Softmax(dim=-1), torch.randn(4, 3, requires_grad=True)
    returned = module(x)

    (output,) = with_gradients(outputs_of(returned), returned, module, Inputs((x,)))

    assert output.reaches == ("input[0]",)
    assert output.gradients.numbers()[0] > 0.01
