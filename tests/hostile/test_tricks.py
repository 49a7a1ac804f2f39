"""Nobody gets more than an answer is worth by a trick."""

from pathlib import Path

import pytest
from graded_answers import EXCHANGED, answer, pieces

from grader.catalog import find
from grader.grading import grade_file

RUBRIC = find("04")
TRICKS = pieces(Path(__file__).with_name("tricks.txt"))
HONEST = 3


def graded(place, code, folder):
    file = folder / f"ada_{RUBRIC.stem}.py"
    file.write_text(answer(EXCHANGED, place, code), encoding="utf-8")
    return grade_file(RUBRIC, file, "simulated")


def test_what_the_answer_is_worth(tmp_path):
    assert graded("top", "", tmp_path).score == HONEST


@pytest.mark.parametrize("trick", TRICKS)
def test_a_trick_wins_nothing(trick, tmp_path):
    report = graded(*TRICKS[trick], tmp_path)

    assert report.score <= HONEST, report.message
    assert report.verdict not in ("passed", "cannot_grade"), report.message
