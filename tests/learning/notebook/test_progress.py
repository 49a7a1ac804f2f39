"""`progress()` in a notebook: the whole course, or one notebook."""

import pytest

from grader import progress
from grader.course.items import UnknownItemError, load_questions
from grader.learning.journal import Attempt, Prediction, keep


@pytest.fixture(autouse=True)
def ada():
    """A learner who passed 09 and predicted in three notebooks."""

    def edit(journal):
        journal.add_attempt(Attempt("09", "passed", 6, 6, "cuda:0 (simulated)"))
        for number, right in (("09.1", True), ("09.2", False), ("09c.1", True), ("10.1", False)):
            journal.add_prediction(Prediction(number, "A", True, right))

    keep(edit)


def shown(capsys, *notebook):
    progress(*notebook)
    return capsys.readouterr().out.splitlines()


@pytest.mark.parametrize("number", ["09", 9, " 9 "])
def test_one_notebook_has_its_own_exercises_and_predictions(capsys, number):
    lines = shown(capsys, number)

    assert lines[0] == "Exercises: 1 of 2 passed"
    assert [line.split()[1] for line in lines[1:3]] == ["09", "09b"]
    assert f"Predictions: 2 of {len(load_questions('09_stale_devices'))} made, 1 right" in lines
    assert "  Of 2 that you were sure of, 1 was right." in lines
    assert "09.2" in "\n".join(lines)
    assert "10.1" not in "\n".join(lines)


def test_a_notebook_with_a_letter_is_another_one(capsys):
    lines = shown(capsys, "09C")

    assert [line.split()[1] for line in lines[1:2]] == ["09c"]
    assert "Predictions: 1 of 3 made, 1 right" in lines


def test_one_that_was_not_begun_says_so(capsys):
    assert shown(capsys, 3)[-1].startswith("Nothing is recorded here yet. Your first try")


def test_without_exercises_it_has_the_predictions_alone(capsys):
    assert shown(capsys, "15")[0].startswith("Predictions: 0 of ")


def test_without_a_number_it_is_the_whole_course(capsys):
    assert "10.1" in "\n".join(shown(capsys))


@pytest.mark.parametrize("number", ["99", None, "x"])
def test_a_notebook_that_there_is_not_is_said_with_those_that_there_are(number):
    with pytest.raises(UnknownItemError, match=r"There are 00, 01, .*09c"):
        progress(number)
