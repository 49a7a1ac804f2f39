"""Fixes of what a replica has not, or loses."""

import pytest
from fixed_code import HEAD, ask, edited
from literal import WEIGHT, fact

from grader.judge.fixes.replicas import count_in_buffer, name_parameter

NET = (
    HEAD
    + """\
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        {start}
        self.layers = nn.ModuleList([nn.Linear(3, 3)])

    def forward(self, x):
        {body}
        return self.layers[0](x)
"""
)
FIRST = fact("layers[0].weight", role="parameter")


def named(body, *facts):
    source = NET.format(start="pass", body=body)
    fix = ask(name_parameter, source, body, body, *(facts or (FIRST,)))
    return fix and edited(fix, source)


def test_the_first_parameter_is_asked_by_its_name():
    after = "x = x.to(self.layers[0].weight.dtype)"

    assert after in named("x = x.to(next(self.parameters()).dtype)")
    assert after in named("x = x.to(next(self.layers.parameters()).dtype)")


@pytest.mark.parametrize(
    "body", ["x = next(self.buffers())", "x = next(self.other.parameters())", "x = next(iter(x))"]
)
def test_other_questions_are_left_to_words(body):
    assert named(body) is None
    assert named("x = next(self.parameters())", WEIGHT) is None  # which the class does not bind


def counted(start, body="self.seen += 1"):
    source = NET.format(start=start, body=body)
    fix = ask(count_in_buffer, source, "self.seen", body, FIRST)
    return fix and edited(fix, source)


def test_a_counter_is_a_buffer():
    assert counted("self.seen = 0") == NET.format(
        start='self.register_buffer("seen", torch.tensor(0))', body="self.seen += 1"
    )
    assert "self.seen.fill_(len(x))" in counted("self.seen = 0", "self.seen = len(x)")
    assert counted("self.seen = []") is None
    assert counted("pass") is None
