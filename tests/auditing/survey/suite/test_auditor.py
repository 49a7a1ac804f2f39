"""What is audited at once, what waits until the tests are over, and what is only told."""

import time

import pytest
import torch
from torch import nn

from grader.auditing.survey.suite import auditor as suite_auditor
from grader.auditing.survey.suite.auditor import BUDGET_SPENT, CUT_SHORT, Auditor


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


class Slow(Small):
    def forward(self, x):
        time.sleep(0.5)
        return super().forward(x)


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


def test_the_budget_is_a_share_of_what_all_else_takes(monkeypatch):
    monkeypatch.setattr(suite_auditor, "LEAST_SECONDS", 0.0)
    monkeypatch.setattr(suite_auditor, "SHARE", 1000.0)
    auditor = Auditor(None, "simulated")
    with auditor.watching("test_net"):
        Small()(torch.ones(2, 4))
        time.sleep(0.05)
    assert names(auditor) == ["Small"]

    monkeypatch.setattr(suite_auditor, "SHARE", 0.0)
    with auditor.watching("test_net"):
        Large()(torch.ones(2, 4))
    assert names(auditor) == ["Small"]


def test_an_audit_that_the_budget_ends_is_no_slow_class():
    auditor = Auditor(1.0, "simulated")
    with auditor.watching("test_net"):
        Slow()(torch.ones(2, 4))

    assert names(auditor) == []
    auditor.finish(is_cut_short=False)
    assert [(entry.name.rpartition(".")[2], entry.refusal.kind) for entry in auditor.entries] == [
        ("Slow", BUDGET_SPENT)
    ]


def test_an_interrupted_audit_is_told_with_what_waits(monkeypatch):
    def interrupt(*args, **kwargs):
        raise KeyboardInterrupt

    auditor = Auditor(None, "simulated")
    with auditor.watching("test_small"):
        Small()(torch.ones(2, 4))
    monkeypatch.setattr(suite_auditor, "audit_task", interrupt)
    with pytest.raises(KeyboardInterrupt), auditor.watching("test_large"):
        nn.Sequential(Large(), Slow())(torch.ones(2, 4))
    auditor.finish(is_cut_short=True)

    assert names(auditor) == ["Small", "Large", "Slow"]
    kinds = [entry.refusal and entry.refusal.kind for entry in auditor.entries]
    assert kinds == [None, CUT_SHORT, CUT_SHORT]


def test_ctrl_c_ends_the_audits_after_the_tests(monkeypatch):
    def interrupt(*args, **kwargs):
        raise KeyboardInterrupt

    auditor = Auditor(0, "simulated")
    with auditor.watching("test_small"):
        Small()(torch.ones(2, 4))
    auditor._budget = 60.0
    monkeypatch.setattr(suite_auditor, "audit_task", interrupt)
    auditor.finish(is_cut_short=False)

    assert [entry.refusal.kind for entry in auditor.entries] == [CUT_SHORT]
