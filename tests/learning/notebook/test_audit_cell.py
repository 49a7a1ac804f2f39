"""`audit(...)`, as a notebook or a script calls it."""

from functools import partial

import pytest
import torch
from torch import nn

from grader.learning.notebook import audit


class Scale(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.factor = torch.ones(size)

    def forward(self, x):
        return x * self.factor


class Prompt(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("prompt", torch.ones(3))

    def forward(self):
        return self.prompt * 2


@pytest.mark.parametrize("made", [Scale(3), partial(Scale, 3), lambda: Scale(3)])
def test_it_shows_the_report_and_returns_it(made, capsys):
    report = audit(made, torch.ones(2, 3), device="simulated")
    shown = capsys.readouterr().out

    assert [finding.code for finding in report.findings] == ["member-tensor"]
    assert "✗ FOUND 1 error" in shown
    assert f"test_audit_cell.py:{report.findings[0].line}\n" in shown


def test_a_class_that_needs_arguments_is_told_what_to_write(capsys):
    report = audit(Scale, torch.ones(2, 3))

    assert report.verdict == "not_defined"
    assert "`audit(lambda: Scale(size=…), …)`" in report.message


def test_no_inputs_known_and_no_inputs_needed_are_two_things(capsys):
    assert "`forward` was never called" in audit(Prompt).message
    assert audit(Prompt, ()).message == ""


def test_a_fault_in_the_inputs_is_the_callers():
    with pytest.raises(ZeroDivisionError):
        audit(Scale(3), lambda: 1 / 0)
