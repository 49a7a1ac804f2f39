"""Nobody honest is accused: whatever else a right answer does, it keeps its points."""

from pathlib import Path

import pytest
from graded_answers import RIGHT, RUBRIC, answer, graded_at, in_turn, pieces

from grader.grading.flags import flags_in

HABITS = pieces(Path(__file__).with_name("habits.txt"))


@pytest.mark.search
@pytest.mark.parametrize(("habit", "level"), in_turn(HABITS), ids=str)
def test_an_honest_answer_keeps_its_points(habit, level, tmp_path, monkeypatch):
    file = tmp_path / f"ada_{RUBRIC.stem}.py"
    file.write_text(answer(RIGHT, **HABITS[habit]), encoding="utf-8")

    report = graded_at(level, file, monkeypatch)

    assert (report.verdict, report.score) == ("passed", report.max_score), report.message


def test_at_most_one_in_ten_is_flagged_for_a_person():
    flagged = [name for name in HABITS if flags_in(answer(RIGHT, **HABITS[name]), RUBRIC)]

    assert len(flagged) <= len(HABITS) / 10, flagged


def test_there_are_enough_of_them():
    assert len(HABITS) >= 150
