"""A record of the site, added to the journal."""

import json

import pytest

from grader.course import all_puzzles
from grader.course.exam.drawing import draw
from grader.course.exam.pool import version
from grader.learning.exams.sitting import sit
from grader.learning.from_site import SiteRecordError, import_record
from grader.learning.journal import Journal, Look, Prediction, keep, read_journal

AT = "2026-11-16T12:00:00Z"


def prediction(question, choice, sure="certain", right=True):
    return {"question": question, "choice": choice, "sure": sure, "right": right, "at": AT}


def added(tmp_path, **record):
    path = tmp_path / "wheres-my-tensor.json"
    path.write_text(json.dumps(record))
    words, notice = import_record(path)
    assert notice == ""
    return words, read_journal()[0]


def test_predictions_and_lines_are_added_and_come_again_for_review(tmp_path):
    words, journal = added(
        tmp_path,
        predictions=[prediction("03.1", "C"), prediction("03.2", "A", "guess", False)],
        looks={"03": {"line": 24, "found": True, "at": AT}},
    )

    assert words == "Added from the site: 2 predictions, 1 faulty line."
    assert [made.right for made in journal.predictions] == [True, False]
    assert journal.looks["03"].found
    first, second = (journal.cards[number] for number in ("03.1", "03.2"))
    assert first.due > second.due  # right and sure, so later


def test_the_answer_that_was_given_first_here_counts(tmp_path):
    def edit(journal: Journal) -> None:
        journal.add_prediction(Prediction("03.1", "A", "guess", False))
        journal.add_look("03", Look(22, False))

    keep(edit)
    looks = {"03": {"line": 24, "found": True, "at": AT}}

    words, journal = added(tmp_path, predictions=[prediction("03.1", "C")], looks=looks)

    assert words == "Added from the site: nothing new."
    assert journal.prediction("03.1").choice == "A"
    assert not journal.looks["03"].found


def test_levels_whose_right_change_was_chosen_are_solved(tmp_path):
    first, second = (puzzle.question() for puzzle in all_puzzles()[:2])
    wrong = next(letter for letter in second.letters if letter != second.right)
    answers = [prediction(first.number, first.right), prediction(second.number, wrong)]

    words, journal = added(tmp_path, predictions=answers)

    assert words == "Added from the site: 1 level."
    assert list(journal.puzzles) == [all_puzzles()[0].slug]
    assert journal.predictions == []


def test_it_is_judged_again_and_what_the_course_does_not_have_is_left_out(tmp_path):
    given = [prediction("03.1", "A"), prediction("99.1", "A"), prediction("03.2", "Z")]

    _, journal = added(tmp_path, predictions=given, looks={"99": {"line": 1, "found": True}})

    assert [(made.question, made.right) for made in journal.predictions] == [("03.1", False)]
    assert journal.looks == {}


def test_an_exam_goes_on_where_it_was_left_on_the_site(tmp_path):
    first, second, *_ = draw("ada-7")
    answers = {
        first.name: {"outcome": first.truth.outcome, "sure": "certain"},
        second.name: {"outcome": "raises on line 999", "sure": "guess"},
    }

    added(tmp_path, exams=[{"seed": "ada-7", "pool": version(), "answers": answers}])

    assert sit().seed == "ada-7"
    assert list(sit("ada-7").answers) == [first.name]


def test_an_exam_of_another_version_is_left_out(tmp_path):
    answers = {name.name: {"outcome": "works", "sure": "guess"} for name in draw("ada-7")}

    added(tmp_path, exams=[{"seed": "ada-7", "pool": "another", "answers": answers}])

    assert sit("ada-7").answers == {}


@pytest.mark.parametrize("text", ["not json", '{"predictions": [{"question": "03.1"}]}', "[]"])
def test_another_file_is_refused_and_nothing_is_kept(tmp_path, text):
    path = tmp_path / "other.json"
    path.write_text(text)

    with pytest.raises(SiteRecordError, match="holds no record of the course's site"):
        import_record(path)

    assert read_journal()[0] == Journal()
