"""The buttons below a report."""

from dataclasses import replace

import pytest
from rules import for_each

from grader.course.catalog import all_rubrics, exercise_file, find
from grader.learning.first_look import look_at_file
from grader.learning.help import solution_text
from grader.learning.journal import Attempt, keep, note_help, peek, read_journal
from grader.learning.notebook.buttons import REPLACES, HelpButtons, LookButtons
from grader.schema.report import Check, Finding, Report

RUBRIC = find("04")
HINTS = len(RUBRIC.hints)
STAYS = Finding("member-tensor", "error", "self.mean", 24, "It stays.", "Register it.")
NOT_YET = Report("failed", "cuda:0 (simulated)", max_score=6, findings=(STAYS,), shows_fixes=False)


def try_it(times):
    attempt = Attempt("04", "failed", 1, 6, "cuda:0 (simulated)")
    for _ in range(times):
        keep(lambda journal: journal.add_attempt(attempt))


def help_taken():
    return [hint.number for hint in read_journal()[0].help]


def test_hints_come_one_at_a_time_and_each_is_kept():
    buttons = HelpButtons(RUBRIC, NOT_YET)

    for number in range(1, HINTS + 1):
        assert buttons.hint.description == f"Hint {number} of {HINTS}"
        assert f"Hint {number} of" not in buttons.message.value
        buttons.hint.click()
        assert buttons.message.value.count("Hint ") == number
    assert buttons.hint.disabled
    assert buttons.hint.description == "No more hints"
    assert help_taken() == list(range(1, HINTS + 1))


def test_the_last_hint_puts_a_report_with_fixes_in_the_place_of_the_one_above():
    note_help("04", HINTS - 1)
    buttons = HelpButtons(RUBRIC, NOT_YET)
    assert len(buttons.box.children) == 2
    assert buttons.hint.description == f"Hint {HINTS} of {HINTS}"
    assert f"Hint {HINTS - 1} of" in buttons.message.value, "what was taken is still there"

    buttons.hint.click()

    report, *_ = buttons.box.children
    assert "Register it." in report.value
    assert "after the last hint" not in report.value
    assert REPLACES in report.value
    assert "wmt-unfolded" in buttons.box._dom_classes


def test_without_a_hint_left_the_solution_names_none():
    note_help("04", HINTS)
    buttons = HelpButtons(RUBRIC, NOT_YET)
    buttons.solution.click()

    assert "after two tries of your own." in buttons.message.value
    assert "A hint may be all you need" not in buttons.message.value


@pytest.mark.parametrize("tries", [0, 1])
def test_before_two_tries_the_solution_asks_whether_you_mean_it(tries):
    try_it(tries)
    buttons = HelpButtons(RUBRIC, NOT_YET)
    buttons.solution.click()

    assert buttons.solution.description == "Show it anyway"
    assert "class CenterScale" not in buttons.message.value
    assert help_taken() == []

    buttons.solution.click()
    assert "class CenterScale" in buttons.message.value
    assert help_taken() == [0]


def test_after_two_tries_it_comes_at_once_with_its_reason_and_what_else_is_right():
    try_it(2)
    buttons = HelpButtons(RUBRIC, NOT_YET)
    buttons.solution.click()

    for words in ("class CenterScale", "Why:", "Also right", "nn.Buffer"):
        assert words in buttons.message.value
    assert buttons.solution.disabled


def test_who_passed_may_compare():
    buttons = HelpButtons(RUBRIC, replace(NOT_YET, verdict="passed"))
    assert buttons.hint not in buttons.box.children[0].children

    buttons.solution.click()
    assert "class CenterScale" in buttons.message.value


def test_a_hint_is_shown_even_where_nothing_can_be_kept(monkeypatch, tmp_path):
    (tmp_path / "file").touch()
    monkeypatch.setenv("GRADER_JOURNAL", str(tmp_path / "file" / "journal.json"))
    buttons = HelpButtons(RUBRIC, NOT_YET)
    buttons.hint.click()

    assert "Hint 1 of" in buttons.message.value
    assert "not kept in your progress" in buttons.message.value


@pytest.fixture
def asked(course):
    """The question about the starter of 03."""
    rubric = find("03")
    return LookButtons(look_at_file(rubric, NOT_YET, exercise_file(rubric.stem)))


def send(buttons, **message):
    buttons.view._received(None, message, None)


def seen(buttons):
    view = buttons.view.view
    return "".join(text for text, _ in view["message"]), view


def test_no_line_is_chosen_at_first_and_each_stands_with_its_number(asked):
    _, view = seen(asked)

    assert (view["chosen"], view["heading"]) == ("", "Which line is to blame?")
    assert view["options"][2] == ["24", [("    self.mean = torch.tensor(mean)", True)], ""]


def test_a_wrong_line_may_be_followed_by_another_before_the_report_takes_their_place(asked):
    send(asked, lock="23", sure=True)
    message, view = seen(asked)
    assert message == "Line 23 is not to blame. You have another try."
    assert {line: look for line, _, look in view["options"] if look} == {"23": "bad"}
    assert "It stays." not in str(view)
    send(asked, lock="23", sure=True)  # it was tried
    assert asked.box.children == (asked.view,)

    send(asked, lock="25", sure=True)
    (below,) = asked.box.children
    report, _, _ = below.children
    assert "You chose line 25. The finding is in line 24" in report.value
    assert "It stays." in report.value
    assert (peek().looks["03"].lines, peek().looks["03"].found_at_once) == ((23, 25), False)


def test_the_line_that_raises_is_told_apart(course):
    rubric, failed = find("03"), Check("forward", False, 0, 1, "`forward` raised E in line 29: no")
    report = replace(NOT_YET, checks=(failed,))
    buttons = LookButtons(look_at_file(rubric, report, exercise_file(rubric.stem)))

    send(buttons, lock="29", sure=True)

    assert seen(buttons)[0].endswith("PyTorch raises there. Where was that tensor made?")


def test_the_right_line_unfolds_the_report_at_once(asked):
    send(asked, lock="24", sure=True)

    assert "You chose line 24: right." in asked.box.children[0].children[0].value


def test_the_report_can_be_read_without_a_choice(asked):
    send(asked, go_on=True)

    report = asked.box.children[0].children[0]
    assert "It stays." in report.value
    assert "You chose" not in report.value
    assert peek().looks["03"].found_at_once is None


@for_each(all_rubrics(), lambda rubric: rubric.number)
def test_every_solution_comes_with_a_reason_and_is_python(rubric):
    text = solution_text(rubric)

    compile(text, rubric.stem, "exec")
    assert f"# Why: {rubric.reason}" in text
    assert all(f"# Also right: {answer}" in text for answer in rubric.also_right)
