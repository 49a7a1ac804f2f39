"""`predict(...)`: by hand and by buttons, it shows nothing before an answer is locked in."""

import re
from configparser import ConfigParser
from pathlib import Path

import pytest
from cells import shown

from grader import predict
from grader.course.items import UnknownItemError, find_question, pool
from grader.learning.journal import read_journal
from grader.learning.notebook.prediction import PredictionBox
from grader.learning.notebook.turns import review_turns
from grader.learning.quiz.words import to_html

QUESTION = find_question("03.1")
WHY = QUESTION.choice("C").why


@pytest.fixture
def printed_by(capsys):
    def call(*arguments, **named):
        predict(*arguments, **named)
        return capsys.readouterr().out

    return call


def kept():
    return read_journal()[0].prediction("03.1")


def test_by_hand_from_the_question_to_the_answer(printed_by, golden):
    printed = [
        printed_by("03.1"),
        printed_by("03.1", "b", sure=True),
        printed_by("03.1", "c", sure=False),
    ]

    golden("prediction_by_hand", "\n".join(printed))


def test_what_is_asked_does_not_depend_on_what_was_answered(printed_by):
    before = printed_by("03.1")
    printed_by("03.1", "c", sure=True)

    assert printed_by("03.1") == before


@pytest.mark.parametrize(
    ("typed", "advice"),
    [
        ({"choice": "e", "sure": True}, "Choose one of A, B, C, D."),
        ({"choice": "ab", "sure": True}, "Choose one of A, B, C, D."),
        ({"choice": "b"}, "How sure are you?"),
        ({"sure": True}, "Choose one of A, B, C, D."),
    ],
)
def test_half_an_answer_is_not_locked_in_and_shows_nothing(typed, advice, printed_by):
    printed = printed_by("03.1", **typed)

    assert printed.startswith(advice)
    assert 'predict("03.1", "a", sure=True)' in printed
    assert WHY[:20] not in printed
    assert kept() is None


def test_no_such_question():
    with pytest.raises(UnknownItemError, match=r"There is no question 03\.9"):
        predict("03.9")


def test_where_nothing_can_be_kept_it_says_so(printed_by, monkeypatch, tmp_path):
    (tmp_path / "file").touch()
    monkeypatch.setenv("GRADER_JOURNAL", str(tmp_path / "file" / "journal.json"))

    printed = printed_by("03.1", "b", sure=False)
    assert printed.startswith("Locked in: B, not sure.")
    assert "This is not kept in your progress" in printed


def test_the_html_asks_the_same_and_hides_the_answer():
    html = to_html(QUESTION)

    assert 'aria-label="Prediction 03.1"' in html
    assert html.count("<li") == len(QUESTION.choices)
    assert "<code>model.cuda()</code>" in html
    assert "neither, so it stays" not in html
    assert "Run this cell to answer." in html


@pytest.fixture
def buttons():
    """The live question, and what a page sends from it."""
    return Page(drawn(QUESTION))


def drawn(question):
    box = PredictionBox(question)
    box.draw()
    return box


class Page:
    def __init__(self, buttons):
        self.view = buttons.view

    def send(self, **message):
        self.view._handle_custom_msg(message, [])

    def shown(self):
        return self.view.view

    def message(self):
        return "".join(text for text, _ in self.shown()["message"])

    def answer(self):
        return "".join(
            text
            for part in self.shown()["answer"]
            for text, _ in [*part["heading"], (" ", False), *part["why"], (" ", False)]
        )


def test_each_option_is_there_with_its_whole_text(buttons):
    letters, texts, looks = zip(*buttons.shown()["options"], strict=True)

    assert letters == QUESTION.letters
    assert set(looks) == {""}
    for letter, pieces in zip(letters, texts, strict=True):
        written = "".join(f"`{text}`" if is_code else text for text, is_code in pieces)
        assert written == QUESTION.choice(letter).text


@pytest.mark.parametrize(("sure", "words"), [(True, "sure"), (False, "not sure")])
def test_one_click_says_how_sure_and_locks_in(sure, words, buttons):
    assert kept() is None

    buttons.send(lock="B", sure=sure)

    assert (kept().choice, kept().sure, kept().right) == ("B", sure, False)
    assert buttons.shown()["chosen"] == "B"
    assert buttons.message().startswith(f"Locked in: B, {words}. Run the next cell")
    assert (buttons.shown()["answer"], buttons.shown()["button"]) == ([], "")


def test_a_review_explains_the_choice_and_the_right_one():
    page = Page(review_turns([QUESTION], pool()[0]))
    assert page.shown()["answer"] == [], "there is no answer before one is locked in"
    page.send(lock="B", sure=True)

    printed = page.answer()
    assert "✗ Not B: " in printed
    assert "forgets the buffers" in printed
    assert "✓ C is right: " in printed
    assert "neither, so it stays" in printed


def test_the_first_answer_stays(buttons):
    buttons.send(lock="B", sure=True)
    buttons.send(lock="C", sure=True)

    assert kept().choice == "B"


@pytest.mark.parametrize(
    "message",
    [{"lock": "", "sure": True}, {"lock": "Z", "sure": True}, {"lock": "B"}, {"lock": 1},
     {"lock": "B", "sure": "sure"}, {"lock": "BC", "sure": True}, {}],
)  # fmt: skip
def test_a_message_that_makes_no_sense_changes_nothing(message, buttons):
    before = buttons.shown()

    buttons.send(**message)

    assert buttons.shown() == before
    assert kept() is None


LOCK = 'predict("03.1", "b", sure=True)'


def test_the_next_cell_marks_it_in_one_line_where_there_are_no_widgets():
    text = shown(LOCK, 'predict("03.2")', "x = 1")

    assert text.startswith("Prediction 03.1: ✗ Not B: The four parameters")
    assert "✓ C is right: " in text
    assert "\n" not in text
    assert kept().is_marked


@pytest.mark.parametrize("cells", [(LOCK,), (LOCK, 'predict("03.2")'), ("x = 1",)])
def test_until_then_nothing_is_told(cells):
    assert "is right" not in shown(*cells)
    assert not kept() or not kept().is_marked


def test_once_marked_it_says_so_when_its_cell_runs_again_and_no_other_cell_repeats_it():
    assert "is right" not in shown(LOCK, "x = 1", "x = 2")

    again = Page(drawn(QUESTION))
    assert again.message() == "Locked in: B, sure."
    assert "✗ Not B" in again.answer()
    assert {letter: look for letter, _, look in again.shown()["options"]} == {
        "A": "", "B": "bad", "C": "good", "D": ""
    }  # fmt: skip
    html = to_html(QUESTION, kept())
    assert "Locked in: B, sure." in html
    assert "✓ C is right" in html
    assert "forgets the buffers" in html


def test_nbval_compares_no_prediction_of_a_learner_s():
    settings = ConfigParser()
    settings.read(Path(__file__).parents[3] / "notebooks" / "nbval_sanitize.cfg")
    rule = settings["prediction"]
    asked = to_html(QUESTION)
    shown(LOCK, "x = 1")

    seen = {
        re.sub(rule["regex"], rule["replace"], html) for html in (asked, to_html(QUESTION, kept()))
    }

    assert len(seen) == 1
    assert "which of the model" in seen.pop()


def test_a_review_asks_one_question_after_the_other_with_its_code():
    first, second, last = QUESTION, find_question("03.2"), pool()[0]
    page = Page(review_turns([first, second], last))

    assert page.shown()["heading"] == "Prediction 03.1, 1 of 2"
    assert "".join(text for text, _ in page.shown()["code"]) == first.code != ""
    page.send(go_on=True)
    assert page.shown()["number"] == "03.1", "it goes on only from an answer"

    page.send(lock=first.right, sure=True)
    assert "comes again" in page.message()
    assert "is right" in page.answer()
    assert "Not" not in page.answer()
    page.send(go_on=True)
    assert (page.shown()["number"], page.shown()["chosen"]) == ("03.2", "")

    page.send(lock=second.right, sure=False)
    page.send(go_on=True)
    assert page.shown()["heading"] == f"One more: {last.title}"

    page.send(lock=last.right, sure=False)
    assert page.message() == "That was the last one."
    assert page.shown()["button"] == ""
    assert set(read_journal()[0].cards) == {"03.1", "03.2"}
