"""Levels in a cell: which change is right?"""

from collections import Counter

import pytest

from grader.course import all_puzzles
from grader.learning.journal import read_journal
from grader.learning.notebook.quiz import Turns
from grader.learning.notebook.turns import puzzle_turns, review_turns


def shown(buttons: Turns) -> dict:
    return buttons.view.view


def send(buttons: Turns, **message: object) -> None:
    buttons.view._received(None, message, None)


@pytest.fixture
def buttons() -> Turns:
    return puzzle_turns(all_puzzles()[:2])


def test_a_right_choice_solves_the_level_and_the_next_one_is_asked(buttons):
    first, second = all_puzzles()[:2]
    assert shown(buttons)["heading"] == first.title

    send(buttons, lock=first.right, sure=True)
    assert list(read_journal()[0].puzzles) == [first.key]
    assert shown(buttons)["button"] == "Next level"

    send(buttons, go_on=True)
    assert shown(buttons)["heading"] == second.title


def test_a_wrong_choice_is_explained_and_solves_nothing(buttons):
    question = all_puzzles()[0]
    wrong = next(letter for letter in question.letters if letter != question.right)

    send(buttons, lock=wrong, sure=False)

    assert read_journal()[0].puzzles == {}
    assert len(shown(buttons)["answer"]) == 2


def test_the_map_beside_it_turns_from_cpu_to_cuda_once_it_is_right(buttons):
    right = all_puzzles()[0].right
    assert ("  □ self.mean on cpu, not registered", "bad") in shown(buttons)["beside"]

    send(buttons, lock=right, sure=True)

    first, *others = shown(buttons)["beside"]
    assert first == (f"With {right}:", "")
    assert ("  ■ self.mean on cuda, buffer", "cuda") in others
    assert "bad" not in dict(map(reversed, others))


def test_a_review_may_end_with_a_solved_level():
    level = all_puzzles()[0]
    buttons = review_turns([], level)

    assert shown(buttons)["heading"] == "One more: Level 1 of 40: The mean stays behind"
    send(buttons, lock=level.right, sure=True)
    assert shown(buttons)["message"] == [("That was the last one.", False)]


def test_no_letter_is_right_too_often():
    right = Counter(puzzle.right for puzzle in all_puzzles())

    assert max(right.values()) <= 12
