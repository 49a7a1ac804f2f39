"""Fixes of an assignment over a Parameter."""

import pytest
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


@pytest.mark.parametrize(
    ("body", "after"),
    [
        ("self.mean = self.mean.lerp(x, 0.1)",
         "with torch.no_grad():\n            self.mean.copy_(self.mean.lerp(x, 0.1))"),
        ("self.mean = self.mean.lerp(\n            x, 0.1\n        )",
         "with torch.no_grad():\n            self.mean.copy_(self.mean.lerp(\n            x, 0.1\n"
         "        ))"),
        ("with torch.no_grad():\n            self.mean = x.mean(0)",
         "with torch.no_grad():\n            self.mean.copy_(x.mean(0))"),
        ("with torch.no_grad():\n            self.weight = x", "with torch.no_grad():\n            "
         "self.weight.copy_(x)"),
        ("x = x + 1\n        self.weight = self.weight.to(x.device)", "x = x + 1\n        "),
    ],
)  # fmt: skip
def test_new_values_go_into_the_same_parameter(body, after):
    assert fixed(body) == NET.format(body=after, decorator="")


def test_a_function_may_be_without_gradients_as_a_whole():
    assert "        self.weight.copy_(x)\n" in fixed("self.weight = x", "@torch.no_grad()")


@pytest.mark.parametrize(
    "body",
    [
        "self.weight = nn.Parameter(x)",  # to be trained through, perhaps
        "if x.any():\n            self.weight = x",  # who reads it after that?
        "weight = 3\n        self.weight = x * weight",
        "self.weight = self.other = x",
        "self.unknown = x",
        "if x.any():\n            self.weight = self.weight.to(x.device)",  # a block needs a line
    ],
)
def test_what_is_not_certain_is_left_to_words(body):
    assert fixed(body) is None


def test_another_method_that_reads_it_would_read_the_old_values():
    source = NET.format(body="self.weight = x", decorator="")
    source += "\n    def norm(self):\n        return self.weight.norm()\n"

    assert ask(keep_parameter, source, "self.weight = x", "self.weight = x", WEIGHT) is None
