"""`exam()` in a notebook: the same sitting as in a terminal, with buttons."""

import pytest

from grader import exam, progress
from grader.course.items.drawing import draw, to_fix
from grader.learning.notebook.turns import exam_turns
from grader.learning.quiz.exam import sit

SEED = "ada"


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def lock(buttons, letter, sure=True):
    buttons.view._received(None, {"lock": letter, "sure": sure}, None)


def test_without_a_notebook_it_says_where_to_take_it(capsys):
    exam(SEED)

    assert "grader exam" in capsys.readouterr().out
    assert sit(SEED).exam.readings == {}


def test_ten_answers_lead_to_three_files_and_those_to_a_result_that_is_kept(here, capsys):
    buttons = exam_turns(sit(SEED))
    headings = []
    for module in draw(SEED):
        headings.append(buttons.view.view["heading"])
        assert buttons.view.view["answer"] == []
        lock(buttons, module.right)
    assert headings[::9] == ["Module 1 of 10, exam ada", "Module 10 of 10, exam ada"]
    assert "run this cell again" in str(buttons.view.view["message"])

    for module in to_fix(SEED):
        path = here / "exam-ada" / f"{module.key}.py"
        assert str(path.name) in str(buttons.view.view["message"])
        path.write_text(module.fixed)
    exam()
    assert "10 of 10 read right, 3 of 3 fixed" in capsys.readouterr().out

    path.write_text("x = 1\n")
    exam()
    capsys.readouterr()
    progress()
    assert "Exam: 10 of 10 read right, 2 of 3 fixed, today\n" in capsys.readouterr().out
    progress("15")
    assert "Exam:" not in capsys.readouterr().out


def test_its_code_has_colours_and_loses_nothing():
    view = exam_turns(sit(SEED)).view.view
    pieces = {colour: text for text, colour in view["code"]}

    assert "".join(text for text, _ in view["code"]) == draw(SEED)[0].shown_code
    assert {"keyword", "name", "number", ""} <= set(pieces)


def test_it_goes_on_where_it_stopped():
    first = exam_turns(sit(SEED))
    lock(first, "A", False)

    again = exam_turns(sit())
    assert again.view.view["heading"] == "Module 2 of 10, exam ada"
    assert not sit().exam.readings[draw(SEED)[0].key].sure
