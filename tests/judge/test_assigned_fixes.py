"""Fixes of an assignment over a Parameter."""

from fixed_code import HEAD, ask, edited
from literal import WEIGHT, fact

from grader.judge.fixes.assigned import keep_parameter

NET = (
    HEAD
    + """\
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(5))
        self.mean = nn.Parameter(torch.ones(5), requires_grad=False)
    {decorator}
    def forward(self, x):
        {body}
        return self.weight * x - self.mean
"""
)
MEAN = fact("mean", role="parameter", is_parameter=True)


def fixed(body, decorator=""):
    source = NET.format(body=body, decorator=decorator)
    last = next(line for line in reversed(body.split("\n")) if " = " in line).strip()
    fix = ask(keep_parameter, source, body, last, WEIGHT, MEAN)
    return fix and edited(fix, source)


def test_what_is_computed_from_it_gets_a_local_name():
    after = NET.format(body="weight = self.weight.softmax(0)", decorator="")

    assert fixed("self.weight = self.weight.softmax(0)") == after.replace(
        "return self.weight", "return weight"
    )
