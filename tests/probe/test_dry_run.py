"""Lazy layers in an answer: the probe calls the module once before it moves it."""

import pytest

from grader.course.catalog import find
from grader.grading.grade import grade_file

RUBRIC = find("02")
ANSWER = """\
import torch
from torch import nn

class GestureClassifier(nn.Module):
    def __init__(self, features, hidden, gestures):
        super().__init__()
        self.hidden = hidden
        self.lstm = nn.LSTM(features, hidden, batch_first=True)
        self.head = nn.LazyLinear(gestures)
        {init}

    def first_state(self, x):
        {state}

    def forward(self, x):
        {forward}
        outputs, _ = self.lstm(x, self.first_state(x))
        return self.head(outputs[:, -1])
"""
RIGHT = "return 2 * (torch.zeros(1, len(x), self.hidden, device=x.device),)"
STALE = """\
if not hasattr(self, 'state'):
            self.state = 2 * (torch.zeros(1, len(x), self.hidden, device=x.device),)
        return self.state"""


def report(folder, init="pass", state=RIGHT, forward="pass"):
    path = folder / f"{RUBRIC.stem}.py"
    text = ANSWER.format(init=init, state=state, forward=forward)
    path.write_text(text, encoding="utf-8")
    return grade_file(RUBRIC, path, "simulated")


def test_a_lazy_layer_passes(tmp_path):
    seen = report(tmp_path)

    assert (seen.verdict, seen.score, seen.findings) == ("passed", seen.max_score, ())


def test_one_that_is_called_in_train_mode_only_passes(tmp_path):
    seen = report(tmp_path, init="self.train()", forward="self.was_training = self.training")

    assert (seen.verdict, seen.findings) == ("passed", ())


def test_what_the_first_call_keeps_is_still_found(tmp_path):
    seen = report(tmp_path, state=STALE)

    assert seen.verdict == "failed"
    assert "state" in " ".join(finding.where for finding in seen.findings)


@pytest.mark.parametrize("forward", ["raise ValueError('no')", "raise SystemExit"])
def test_a_call_that_raises_is_reported_as_any_other(forward, tmp_path):
    seen = report(tmp_path, forward=forward)

    assert seen.verdict == "failed"
    assert "not reached: it could not be constructed" not in [c.message for c in seen.checks]
