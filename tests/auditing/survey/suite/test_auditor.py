"""What is audited at once, what waits until the tests are over, and what is only told."""

import torch
from torch import nn

from grader.auditing.survey.suite.auditor import BUDGET_SPENT, Auditor


class Small(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        return self.fc(x)


class Large(nn.Module):
    def __init__(self):
        super().__init__()
        self.parts = nn.ModuleList(Small() for _ in range(3))

    def forward(self, x):
        for part in self.parts:
            x = part(x)
        return x


def names(auditor: Auditor) -> list[str]:
    return [entry.name.rpartition(".")[2] for entry in auditor.entries]


def test_a_further_configuration_waits_until_the_tests_are_over():
    auditor = Auditor(None, "simulated")
    for dtype in (torch.float32, torch.float64):
        with auditor.watching("test_net"):
            Small().to(dtype)(torch.ones(2, 4, dtype=dtype))

    assert names(auditor) == ["Small"]
    auditor.finish(is_cut_short=False)
    assert names(auditor) == ["Small", "Small"]
    assert [entry.outcome for entry in auditor.entries] == ["clean", "clean"]


def test_what_is_left_over_is_told_the_largest_first():
    auditor = Auditor(0, "simulated")
    for cls in (Small, Large):
        with auditor.watching("test_net"):
            cls()(torch.ones(2, 4))

    assert names(auditor) == []
    auditor.finish(is_cut_short=False)
    assert names(auditor) == ["Large", "Small"]
    assert {entry.refusal and entry.refusal.kind for entry in auditor.entries} == {BUDGET_SPENT}


def test_a_run_that_is_cut_short_audits_nothing_more():
    auditor = Auditor(None, "simulated")
    for dtype in (torch.float32, torch.float64):
        with auditor.watching("test_net"):
            Small().to(dtype)(torch.ones(2, 4, dtype=dtype))

    auditor.finish(is_cut_short=True)

    assert names(auditor) == ["Small"]
