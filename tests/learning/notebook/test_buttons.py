"""The buttons below a report."""

import pytest

from grader.course.catalog import all_rubrics, find
from grader.learning.help import solution_text
from grader.learning.journal import Attempt, keep, note_help, read_journal
from grader.learning.notebook.buttons import HelpButtons

RUBRIC = find("04")
HINTS = len(RUBRIC.hints)


def try_it(times):
    attempt = Attempt("04", "failed", 1, 6, "cuda:0 (simulated)")
    for _ in range(times):
        keep(lambda journal: journal.add_attempt(attempt))


def help_taken():
    return [hint.number for hint in read_journal()[0].help]


def test_hints_come_one_at_a_time_and_each_is_kept():
    buttons = HelpButtons(RUBRIC, passed=False)

    for number in range(1, HINTS + 1):
        assert buttons.hint.description == f"Hint {number} of {HINTS}"
        assert f"Hint {number} of" not in buttons.message.value
        buttons.hint.click()
        assert buttons.message.value.count("Hint ") == number
    assert buttons.hint.disabled
    assert buttons.hint.description == "No more hints"
    assert help_taken() == list(range(1, HINTS + 1))


def test_hints_that_were_taken_are_still_there():
    note_help("04", 2)
    buttons = HelpButtons(RUBRIC, passed=False)

    assert buttons.hint.description == f"Hint 3 of {HINTS}"
    assert "Hint 2 of" in buttons.message.value


@pytest.mark.parametrize("tries", [0, 1])
def test_before_two_tries_the_solution_asks_whether_you_mean_it(tries):
    try_it(tries)
    buttons = HelpButtons(RUBRIC, passed=False)
    buttons.solution.click()

    assert buttons.solution.description == "Show it anyway"
    assert "class CenterScale" not in buttons.message.value
    assert help_taken() == []

    buttons.solution.click()
    assert "class CenterScale" in buttons.message.value
    assert help_taken() == [0]


def test_after_two_tries_it_comes_at_once_with_its_reason_and_what_else_is_right():
    try_it(2)
    buttons = HelpButtons(RUBRIC, passed=False)
    buttons.solution.click()

    for words in ("class CenterScale", "Why:", "Also right", "nn.Buffer"):
        assert words in buttons.message.value
    assert buttons.solution.disabled


def test_who_passed_may_compare():
    buttons = HelpButtons(RUBRIC, passed=True)
    assert buttons.hint not in buttons.box.children[0].children

    buttons.solution.click()
    assert "class CenterScale" in buttons.message.value


def test_a_hint_is_shown_even_where_nothing_can_be_kept(monkeypatch, tmp_path):
    (tmp_path / "file").touch()
    monkeypatch.setenv("GRADER_JOURNAL", str(tmp_path / "file" / "journal.json"))
    buttons = HelpButtons(RUBRIC, passed=False)
    buttons.hint.click()

    assert "Hint 1 of" in buttons.message.value
    assert "not kept in your progress" in buttons.message.value


@pytest.mark.parametrize("rubric", all_rubrics(), ids=lambda rubric: rubric.number)
def test_every_solution_comes_with_a_reason_and_is_python(rubric):
    text = solution_text(rubric)

    compile(text, rubric.stem, "exec")
    assert f"# Why: {rubric.reason}" in text
    assert all(f"# Also right: {answer}" in text for answer in rubric.also_right)
