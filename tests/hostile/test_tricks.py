"""Nobody gets more than an answer is worth by a trick."""

from pathlib import Path

import pytest
from graded_answers import EXCHANGED, RUBRIC, answer, at_every_level, graded_at, pieces

from grader.probe.containment.sandbox import Level

TRICKS = pieces(Path(__file__).with_name("tricks.txt"))
HONEST = 3


@pytest.fixture
def graded(tmp_path, monkeypatch):
    def grade(trick, level=Level.PROCESS):
        file = tmp_path / f"ada_{RUBRIC.stem}.py"
        file.write_text(answer(EXCHANGED, **trick), encoding="utf-8")
        return graded_at(level, file, monkeypatch)

    return grade


def test_what_the_answer_is_worth(graded):
    assert graded({}).score == HONEST


@pytest.mark.parametrize(("trick", "level"), at_every_level(TRICKS), ids=str)
def test_a_trick_wins_nothing(trick, level, graded):
    report = graded(TRICKS[trick], level)

    assert report.score <= HONEST, report.message
    assert report.verdict not in ("passed", "cannot_grade"), report.message
