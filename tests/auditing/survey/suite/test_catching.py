"""Which calls of a module are copied, and which are refused with a reason."""

from unittest.mock import MagicMock

import torch
from torch import nn

from grader.auditing.survey.catching import Catcher, Caught


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)

    def slope(self):
        return torch.ones(3)

    def forward(self, x):
        return self.layer(x) * self.slope()


def caught_from(*modules: nn.Module) -> tuple[list[Caught], list[str]]:
    given: list[Caught] = []
    reasons: list[str] = []
    catcher = Catcher(lambda _: True, given.append, lambda _, reason: reasons.append(reason))
    with catcher.on():
        for module in modules:
            module(torch.ones(2, 3))
    return given, reasons


def test_a_module_with_a_mock_in_it_is_not_the_module():
    mocked = Net()
    mocked.slope = MagicMock(return_value=torch.zeros(3))

    given, reasons = caught_from(mocked, nn.Sequential(mocked), Net())

    assert len(given) == 1
    assert reasons == [
        "a test put a mock in the place of `self.slope`",
        "a test put a mock in the place of `self[0].slope`",
    ]
