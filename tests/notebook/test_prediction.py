"""`predict(...)`: by hand and by buttons, it shows nothing before an answer is locked in."""

import pytest

from grader import predict
from grader.journal import read
from grader.notebook.prediction_buttons import PredictionButtons
from grader.questions import UnknownQuestionError, find_question
from grader.render.question import answer_html, to_html

QUESTION = find_question("03.1")
WHY = QUESTION.choice("C").why


@pytest.fixture
def said(capsys):
    def call(*arguments, **named):
        predict(*arguments, **named)
        return capsys.readouterr().out

    return call


def kept():
    return read()[0].prediction("03.1")


def test_by_hand_from_the_question_to_the_answer(said, golden):
    told = [
        said("03.1"),
        said("03.1", "b", sure="certain"),
        said("03.1", "c", sure="guess"),
        said("03.1", reveal=True),
    ]

    golden("prediction_by_hand", "\n".join(told))


def test_what_is_asked_does_not_depend_on_what_was_answered(said):
    before = said("03.1")
    said("03.1", "c", sure="certain")

    assert said("03.1") == before


@pytest.mark.parametrize(("typed", "meant"), [("guess", "guess"), ("Fairly", "fairly sure")])
def test_a_confidence_may_be_begun(typed, meant, said):
    said("03.1", " c ", sure=typed)

    assert (kept().choice, kept().sure, kept().right) == ("C", meant, True)


@pytest.mark.parametrize(
    ("typed", "advice"),
    [
        ({"choice": "e", "sure": "certain"}, "Choose one of A, B, C, D."),
        ({"choice": "ab", "sure": "certain"}, "Choose one of A, B, C, D."),
        ({"choice": "b"}, "How sure are you?"),
        ({"choice": "b", "sure": "90 %"}, "How sure are you?"),
        ({"sure": "certain"}, "Choose one of A, B, C, D."),
        ({"reveal": True}, "Decide first"),
    ],
)
def test_half_an_answer_is_not_locked_in_and_shows_nothing(typed, advice, said):
    told = said("03.1", **typed)

    assert told.startswith(advice)
    assert 'predict("03.1", "a", sure="guess")' in told
    assert WHY[:20] not in told
    assert kept() is None


def test_no_such_question():
    with pytest.raises(UnknownQuestionError, match=r"There is no question 03\.9"):
        predict("03.9")


def test_where_nothing_can_be_kept_it_says_so(said, monkeypatch, tmp_path):
    (tmp_path / "file").touch()
    monkeypatch.setenv("GRADER_JOURNAL", str(tmp_path / "file" / "journal.json"))

    told = said("03.1", "b", sure="guess")
    assert told.startswith("Locked in: B, guess.")
    assert "This is not kept in your progress" in told


def test_the_html_asks_the_same_and_hides_the_answer():
    html = to_html(QUESTION)

    assert 'aria-label="Prediction 03.1"' in html
    assert html.count("<li") == len(QUESTION.choices)
    assert "<code>model.cuda()</code>" in html
    assert "neither, so it stays" not in html


def test_the_answer_explains_the_choice_and_the_right_one():
    wrong, right = answer_html(QUESTION, "B"), answer_html(QUESTION, "C")

    assert "Not B" in wrong
    assert "forgets the buffers" in wrong
    for told in (wrong, right):
        assert "C is right" in told
        assert "neither, so it stays" in told
    assert "Not" not in right


def test_the_lock_opens_once_a_choice_and_a_confidence_are_there():
    buttons = PredictionButtons(QUESTION)

    assert buttons.lock.disabled
    buttons.choice.value = "B"
    assert buttons.lock.disabled
    buttons.sure.value = "certain"
    assert not buttons.lock.disabled
    assert buttons.show.disabled
    assert kept() is None


def test_locking_in_keeps_the_answer_and_only_then_it_can_be_shown():
    buttons = PredictionButtons(QUESTION)
    buttons.choice.value, buttons.sure.value = "B", "certain"
    buttons.lock.click()

    assert (kept().choice, kept().sure, kept().right) == ("B", "certain", False)
    assert buttons.choice.disabled
    assert buttons.sure.disabled
    assert buttons.lock.disabled
    assert "Locked in: B, certain." in buttons.said.value
    assert "right:" not in buttons.said.value

    buttons.show.click()
    assert "C is right" in buttons.said.value
    assert "Not B" in buttons.said.value


def test_an_answer_is_locked_in_with_the_widgets_that_colab_brings(monkeypatch):
    monkeypatch.delattr("ipywidgets.DOMWidget.focus")  # ipywidgets 7 has none
    buttons = PredictionButtons(QUESTION)

    buttons.choice.value, buttons.sure.value = "C", "certain"
    buttons.lock.click()

    assert "Locked in: C, certain." in buttons.said.value


def test_an_answer_that_was_locked_in_is_still_there_after_a_restart():
    predict("03.1", "d", sure="guess")
    buttons = PredictionButtons(QUESTION)

    assert (buttons.choice.value, buttons.sure.value) == ("D", "guess")
    assert buttons.lock.disabled
    assert not buttons.show.disabled


def test_a_prediction_comes_back_another_day():
    predict("03.1", "b", sure="certain")
    (number, card), *others = read()[0].cards.items()

    assert (number, others) == ("03.1", [])
    assert (card.due - kept().at).days >= 1
