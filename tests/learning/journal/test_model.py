"""What a journal says of a learner."""

from datetime import UTC, datetime, timedelta

import pytest

from grader.course.catalog import find
from grader.course.items import all_questions, find_question
from grader.learning.journal import (
    Attempt,
    Help,
    Journal,
    Prediction,
    Progress,
)
from grader.learning.journal.progress import progress_text, to_html
from grader.learning.quiz.keeping import reviewed

MONDAY = datetime(2026, 11, 16, 12, tzinfo=UTC)
FRIDAY = MONDAY + timedelta(days=4)
# A course of three exercises and five questions, so that a new one changes no test.
RUBRICS = tuple(find(number) for number in ("03", "04", "05b"))
QUESTIONS = tuple(find_question(number) for number in ("03.1", "03.2", "03.3", "04.1", "04.2"))


def attempt(exercise, verdict, at=MONDAY):
    return Attempt(exercise, verdict, 1, 6, "cuda:0 (simulated)", at)


def in_short(journal, now=FRIDAY):
    return Progress(journal, RUBRICS, QUESTIONS, now)


@pytest.fixture
def ada():
    """A learner after a week."""
    made = Journal()
    for verdict in ("failed", "not_attempted", "failed", "passed", "failed"):
        made.add_attempt(attempt("03", verdict))
    made.add_attempt(attempt("05b", "timeout", FRIDAY - timedelta(days=1)))
    made.add_help(Help("03", 2, MONDAY))
    made.add_help(Help("03", 0, MONDAY))
    made.add_help(Help("04", 1, FRIDAY))
    made.add_look("03", 24, True)
    made.add_look("04", 30, False)
    made.add_look("05b", 0, False)
    for number, choice, sure, right in [
        ("03.1", "B", True, False),
        ("03.2", "D", True, True),
        ("03.3", "D", False, True),
        ("04.1", "A", False, False),
    ]:
        made.add_prediction(Prediction(number, choice, sure, right, MONDAY))
        made.cards[number] = reviewed(None, right, sure, MONDAY)
    return made


def test_what_says_nothing_of_an_answer_is_no_try(ada):
    assert ada.tries("03") == 4
    assert ada.tries("04") == 0
    assert ada.has_passed("03")
    assert not ada.has_passed("05b")


def test_the_furthest_hint_counts_and_the_solution_is_none(ada):
    assert [ada.hints_taken(number) for number in ("03", "04", "05")] == [2, 1, 0]


def test_the_first_prediction_stays(ada):
    counts = ada.add_prediction(Prediction("03.1", "C", False, True, FRIDAY))

    assert counts.choice == "B"
    assert ada.prediction("03.1") is counts
    assert len(ada.predictions) == 4


def test_what_is_wrong_comes_back_soonest_and_what_was_sure_latest():
    answers = [(False, True), (True, False), (True, True)]
    days = [(reviewed(None, *answer, MONDAY).due - MONDAY).days for answer in answers]

    assert days == sorted(days)
    assert days[0] >= 1
    assert days[-1] > days[0]


def test_each_right_answer_puts_the_next_one_further_away():
    card, at, gaps = None, MONDAY, []
    for _ in range(4):
        card = reviewed(card, True, False, at)
        gaps.append(card.due - at)
        at = card.due
    forgotten = reviewed(card, False, False, at)

    assert gaps == sorted(set(gaps))
    assert forgotten.due - at < gaps[-1]


def test_an_exercise_that_passed_stays_passed_and_counts_the_tries_up_to_there(ada):
    by_exercise = {exercise.number: exercise for exercise in in_short(ada).exercises}

    assert (by_exercise["03"].standing, by_exercise["03"].tries, by_exercise["03"].at) == (
        "passed",
        3,
        MONDAY,
    )
    assert (by_exercise["05b"].standing, by_exercise["05b"].tries) == ("not yet", 1)
    assert (by_exercise["04"].standing, by_exercise["04"].hints) == ("not tried", 1)


def test_the_first_line_counts_and_reading_at_once_is_none(ada):
    ada.add_look("04", 27, True)
    ada.add_look("04", 31, False)

    found = {exercise.number: exercise.found for exercise in in_short(ada).exercises}
    assert found == {"03": True, "04": False, "05b": None}


def test_what_is_due_is_asked_in_the_order_in_which_it_waited(ada):
    assert in_short(ada, MONDAY).due == ()
    assert in_short(ada).due == ("03.1", "04.1", "03.3")
    assert in_short(ada, MONDAY + timedelta(days=100)).due[-1] == "03.2"


def test_what_the_course_no_longer_has_is_kept_and_not_counted(ada):
    ada.add_attempt(attempt("77", "passed"))
    ada.add_prediction(Prediction("77.1", "A", True, True, MONDAY))
    ada.cards["77.1"] = ada.cards["03.1"]

    summary = in_short(ada)
    text = progress_text(summary, FRIDAY)
    assert "Exercises: 1 of 3 passed" in text
    assert "Predictions: 4 of 5 made" in text
    assert "77.1" not in summary.due


@pytest.mark.parametrize("name", ["nothing", "a_week"])
def test_progress_as_text(name, ada, golden):
    reached = in_short(Journal() if name == "nothing" else ada)

    golden(f"progress_{name}", progress_text(reached, FRIDAY) + "\n")


def test_progress_as_html_says_the_same(ada):
    html = to_html(in_short(ada), FRIDAY, "review()")

    for words in (
        "1 of 3 passed",
        "✓ 03",
        "passed, 3 tries, 2 hints, 4 days ago",
        "Faulty lines: 1 of 2 found at first look",
        "1 was right",
        ": review()",
    ):
        assert words in html


def test_of_many_that_were_sure_and_wrong_the_first_few_are_quoted(ada):
    questions = all_questions()[:8]
    for question in questions:
        ada.add_prediction(Prediction(question.key, "A", True, False, MONDAY))

    lines = progress_text(Progress(ada, RUBRICS, questions, FRIDAY), FRIDAY).splitlines()
    shown = lines[lines.index("  Sure and wrong, so worth another look:") + 1 :][:6]
    assert [line.split()[0] for line in shown[:5]] == [question.key for question in questions[:5]]
    assert shown[0].endswith("  00_start_here.ipynb")
    assert shown[5] == f"    and {', '.join(question.key for question in questions[5:])}"
    assert max(map(len, shown)) <= 100
