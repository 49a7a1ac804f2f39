"""What a report says of a notebook's cells: lines, globals, and classes that were run again."""

import pytest
from cells import shown

from grader.course import UnknownExerciseError, starter

BASE = """\
class Base(nn.Module):
    def __init__(self, mean, std):
        super().__init__()
        self.mean = torch.tensor(mean)
        self.std = torch.tensor(std)

    def forward(self, x):
        return (x - self.mean) / self.std
"""
FIXED = (
    BASE.replace("self.mean = torch", 'self.register_buffer("mean", torch')
    .replace("self.std = torch", 'self.register_buffer("std", torch')
    .replace("tensor(mean)", "tensor(mean))")
    .replace("tensor(std)", "tensor(std))")
)
CHILD = """\
class Normalizer(Base):
    def forward(self, x):
        return (x - self.mean) / self.std
"""
TYPO = FIXED.replace("register_buffer", "register_bufer")
RIGHT = FIXED.replace("Base", "Normalizer")
CHECK = 'check("03", Normalizer, why=True)'
AUDIT = "audit(Normalizer([0.5], [2.0]), torch.ones(2, 1))"
RERUN = "`Base` is now another class: `Normalizer` still inherits from the one before. Run the cell"


@pytest.mark.parametrize("call", [CHECK, AUDIT])
def test_a_line_of_another_cell_is_quoted_from_there_and_named_by_its_class(call):
    text = shown(BASE, CHILD, call)

    assert "line 4 of the cell of Base self.mean = torch.tensor(mean)" in text
    assert "line 3 of the cell mixes it with a CUDA tensor" in text


def test_a_fix_of_a_class_in_a_cell_is_tried():
    text = shown(BASE, CHILD, "audit(lambda: Normalizer([0.5], [2.0]), torch.ones(2, 1))")

    assert '(tried): `self.register_buffer("mean", torch.tensor(mean)' in text


@pytest.mark.parametrize("call", [CHECK, AUDIT])
def test_in_one_cell_a_line_needs_no_more_than_its_number(call):
    text = shown(f"{BASE}\n\n{CHILD}", call)

    assert "line 4 of the cell self.mean = torch.tensor(mean)" in text
    assert "and line 13 mixes it" in text
    assert "cell of" not in text


@pytest.mark.parametrize(("answer", "place"), [("CenterScale, ", "cell"), ("", "file")])
def test_what_is_right_in_the_starter_counts_once_the_place_of_the_answer_is_changed(
    course, answer, place
):
    text = shown(starter("04_parameter_or_buffer"), f'check("04", {answer}why=True)')

    assert f"it counts once you have changed the {place}" in text


def test_an_exception_in_another_cell_says_in_which():
    text = shown(BASE, "class Normalizer(Base):\n    pass", CHECK)

    assert "raised RuntimeError in line 8 of the cell of Base: " in text


@pytest.mark.parametrize(
    ("cells", "where"),
    [
        ([TYPO.replace("Base", "Normalizer"), CHECK], "line 4"),
        ([TYPO, CHILD, CHECK], "line 4 of the cell of Base"),
    ],
)
def test_where_nothing_could_be_built_the_line_is_in_the_cell_of_the_class(cells, where):
    assert f"The constructor raised AttributeError in {where}: " in shown(*cells)


@pytest.mark.parametrize("call", [CHECK, AUDIT])
@pytest.mark.parametrize(
    "cells", [["OFFSET = torch.ones(1)\n", RIGHT], [RIGHT + "OFFSET = torch.ones(1)\n"]]
)
def test_a_global_is_made_when_its_cell_is_run(cells, call):
    text = shown(*(cell.replace("(x -", "(x * OFFSET -") for cell in cells), call)

    assert "`OFFSET` is made once, when its cell is run, and no `.cuda()` moves it" in text
    assert "file" not in text


def test_a_base_class_that_was_fixed_after_its_child_was_made_is_named():
    text = shown(BASE, CHILD, FIXED, CHECK)

    assert text.index(f"{RERUN} of `Normalizer` again.") < text.index("buffers 0/2")


@pytest.mark.parametrize(
    "cells",
    [[FIXED, CHILD], [BASE, FIXED, CHILD], [RIGHT, "class Normalizer(Normalizer):\n    pass"]],
)
def test_a_child_of_the_class_that_is_there_is_told_nothing(cells):
    assert "another class" not in shown(*cells, CHECK)


def test_a_class_within_a_function_is_no_other_one_of_that_name():
    inside = BASE.replace("\n", "\n    ")
    cell = f"def made():\n    {inside}\n    return Base([0.5], [2.0])\n\nmodel = made()"

    assert "another class" not in shown(BASE, cell, "audit(model, torch.ones(2, 1))")


def test_a_module_of_a_class_that_was_fixed_since_is_named():
    cells = (BASE, "model = Base([0.5], [2.0])", FIXED)

    text = shown(*cells, "audit(model, torch.ones(2, 1))")

    assert "`Base` is now another class: this module was made by the one before." in text


@pytest.mark.parametrize(
    "name", ["3", '"3"', '" 03 "', '"03_member_tensors"', '"03_Member_Tensors"']
)
def test_an_exercise_may_be_named_in_many_ways(name):
    assert "PASSED - 6 of 6" in shown(RIGHT, f"check({name}, Normalizer)")
    assert "Hint 1 of 4: " in shown(f"hint({name}, 1)")
    assert "Which of these tensors" in shown(f"predict({name})")


@pytest.mark.parametrize("name", ['"3b"', '"03B"'])
def test_a_letter_needs_no_zero_before_the_number(name):
    assert "Hint 1 of " in shown(f"hint({name}, 1)")


def test_a_class_without_its_exercise_is_told_which():
    with pytest.raises(UnknownExerciseError, match=r'such as check\("03", Normalizer\)'):
        shown(RIGHT, "check(Normalizer)")


def test_a_class_of_another_exercise_is_told_which():
    text = shown(RIGHT, 'check("04", Normalizer)')

    assert "check() was given Normalizer, the class of exercise 03. Exercise 04 asks for" in text
    assert 'check("04", CenterScale)' in text


def test_a_file_of_another_exercise_is_told_which(course):
    text = shown('check("04", "exercises/03_member_tensors.py")')

    assert "does not define CenterScale. It defines Normalizer, the class of exercise 03." in text


@pytest.mark.parametrize(
    "cell",
    [
        'check("03", Normalizer)\ncheck("03", Base)',
        'check("03", Normalizer); check("03", Base)',
        'for answer in (Normalizer, Base):\n    check("03", answer)',
        'check("03", Normalizer)\nif True:\n    check("03", Base)\nprint()',
    ],
)
def test_each_of_two_reports_of_one_cell_is_shown(cell):
    text = shown(RIGHT, BASE, cell)

    assert text.count("03 A normalizer") == 2
    assert "PASSED" in text
    assert "NOT YET" in text


def test_a_report_that_is_kept_is_not_shown():
    assert "normalizer" not in shown(RIGHT, 'report = check("03", Normalizer)\nprint(1)')


def test_a_line_is_blamed_by_hand_where_there_are_no_buttons():
    wrong = BASE.replace("Base", "Normalizer")
    asked = shown(wrong, 'check("03", Normalizer)')
    beyond = shown(wrong, 'check("03", Normalizer, line=99)')
    missed = shown(wrong, 'check("03", Normalizer, line=2)')
    told = shown(wrong, 'check("03", Normalizer, line=5)')

    assert "Line 2 is not to blame. You have another try." in missed
    for text in (asked, beyond, missed):
        assert "Two faults: find one. Which line is to blame?" in text
        assert '`check("03", Normalizer, line=N)`' in text
        assert "4 self.mean = torch.tensor(mean) 5 self.std" in text
        assert "plain tensor" not in text
    assert "You chose line 5: right." in told
    assert "`self.mean` is a plain tensor" in told
    assert "Which line" not in shown(wrong, 'check("03", Normalizer)')


def test_the_whole_report_comes_back_while_the_folded_one_is_shown():
    text = shown(BASE.replace("Base", "Normalizer"), 'check("03", Normalizer).findings[0].code')

    assert text.endswith("'member-tensor'")


def test_each_of_two_audits_and_of_two_maps_is_shown():
    assert shown("audit(nn.ReLU())\naudit(nn.GELU())").count("Audit of") == 2
    assert shown("device_map(nn.Linear(1, 1))\ndevice_map(nn.Linear(1, 1))").count("Linear: ") == 2
