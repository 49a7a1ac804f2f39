"""The questions, held to their form; whether they are true is shown by the notebooks' cells."""

import re
from pathlib import Path

import pytest
import torch
from rules import for_each

from grader.course.items import (
    UnknownItemError,
    all_questions,
    find_question,
    load_questions,
    notebook_of,
    question_stems,
)

NOTEBOOKS = Path(__file__).resolve().parents[3] / "notebooks"


every_question = for_each(all_questions(), lambda question: question.key)


def test_every_notebook_has_questions():
    assert list(question_stems()) == sorted(path.stem for path in NOTEBOOKS.glob("[0-9]*.ipynb"))


def test_an_exercise_with_a_letter_is_in_the_notebook_of_that_letter_or_of_its_number():
    found = [notebook_of(number) for number in ("09.4", "09b", "09c", "09c.1", "99b", "")]

    assert found == [*["09_stale_devices"] * 2, *["09c_replicas"] * 2, "", ""]


@for_each(question_stems())
def test_a_notebook_asks_more_than_once_and_it_raises_is_among_the_answers(stem):
    questions = load_questions(stem)
    choices = [choice.text for question in questions for choice in question.choices]

    assert [question.key for question in questions] == [
        f"{stem.split('_')[0]}.{count}" for count in range(1, len(questions) + 1)
    ]
    assert len(questions) >= 2
    assert any(re.search(r"\braises?\b|\berror\b", text) for text in choices)


@every_question
def test_one_choice_is_right_and_every_choice_is_explained(question):
    assert 3 <= len(question.choices) <= 5
    assert question.right in question.letters
    assert len({choice.text for choice in question.choices}) == len(question.choices)
    assert all(len(choice.why) >= 20 for choice in question.choices)


@every_question
def test_code_is_between_backticks_and_no_other_mark_of_markdown_is_used(question):
    for text in (question.text, *(part for c in question.choices for part in (c.text, c.why))):
        assert text.count("`") % 2 == 0
        assert "*" not in re.sub("`.*?`", "", text)


@every_question
def test_shuffling_moves_the_right_choice_and_its_letter_together(question):
    right = question.choice(question.right)
    orders = [question.shuffled() for _ in range(100)]

    assert {shuffled.right for shuffled in orders} == set(question.letters)
    assert all(shuffled.choice(shuffled.right) == right for shuffled in orders)
    assert all(
        sorted(map(str, shuffled.choices)) == sorted(map(str, question.choices))
        for shuffled in orders
    )


@pytest.mark.parametrize(
    ("name", "number"),
    [
        ("03.1", "03.1"),
        ("3.1", "03.1"),
        (" 03.1 ", "03.1"),
        ("9c.2", "09c.2"),
        (" 09C.2 ", "09c.2"),
    ],
)
def test_a_question_is_found_by_its_number(name, number):
    assert find_question(name).key == number


@pytest.mark.parametrize(
    ("name", "advice"), [("03.9", "There are 03.1, 03.2"), ("seven", "such as 03.1")]
)
def test_no_such_question(name, advice):
    with pytest.raises(UnknownItemError, match=f"There is no question {name}.*{advice}"):
        find_question(name)


def test_what_03_3_calls_lost_differs_in_a_module_that_loads_the_checkpoint():
    named = {"torch": torch, "nn": torch.nn}
    exec(find_question("03.3").code, named)
    measured, loaded = named["Amplifier"](), named["Amplifier"]()
    measured.calibrate(torch.tensor([-4.0, 1.0]))

    loaded.load_state_dict(measured.state_dict())

    assert (measured.gain.item(), loaded.gain.item()) == (0.25, 0.5)
