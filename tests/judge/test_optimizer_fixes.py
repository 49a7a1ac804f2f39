"""Fixes of optimizers that a module holds."""

import pytest
from fixed_code import HEAD, ask, edited

from grader.judge.fixes.optimizers import build_last
from grader.schema.evidence import Optimizer, Raised

NET = (
    HEAD
    + """\
class Net(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.hidden = nn.Linear(n, n)
        {first}
        {last}

    def forward(self, x):
        return self.hidden(x)
"""
)
BUILT = "self.optimizer = torch.optim.SGD(self.parameters(), lr=0.1)"


def last(*following, **optimizer):
    source = NET.format(first=BUILT, last="\n        ".join(following))
    held = (Optimizer("self.optimizer", 7, **{"strangers": 2, **optimizer}),)
    fix = ask(build_last, source, "self.optimizer", BUILT, optimizers=held)
    return fix and edited(fix, source)


@pytest.mark.parametrize(
    "following",
    [
        ["self.hidden = smaller(self.hidden)"],
        ["self.prune(2)"],
        ["self.prune(2)", "self.hidden = smaller(\n            self.hidden,\n        )"],
    ],
)
def test_it_is_built_when_the_module_is_complete(following):
    statements = "\n        ".join(following)

    assert last(*following) == NET.format(first="", last=f"{statements}\n        {BUILT}")


def test_where_that_would_not_help_words_must_do():
    assert last("n = n + 1") is None
    assert last("self.prune(2)", "self.schedule = StepLR(self.optimizer, 3)") is None
    raised = Raised("RuntimeError", "two devices")
    assert last("self.prune(2)", strangers=0, raised=raised) is None
