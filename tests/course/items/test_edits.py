"""Edits as a learner types them."""

import pytest

from grader.course.items.edits import BadEditError, edited

SOURCE = "class A:\n    def f(self):\n        return 1\n"


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("3: return 2", "class A:\n    def f(self):\n        return 2\n"),
        ("3:return 2", "class A:\n    def f(self):\n        return 2\n"),
        ("3:     pass", "class A:\n    def f(self):\n    pass\n"),
        ("2+ x = 1", "class A:\n    def f(self):\n        x = 1\n        return 1\n"),
        ("3+ x = 1", "class A:\n    def f(self):\n        return 1\n        x = 1\n"),
        ("1-\n1-", "        return 1\n"),
    ],
)
def test_an_edit_takes_the_indentation_of_its_line(typed, expected):
    assert edited(SOURCE, typed) == expected


@pytest.mark.parametrize("typed", ["x", "0: x", "4: x", "3 x"])
def test_what_is_no_edit_says_how_to_type_one(typed):
    with pytest.raises(BadEditError, match="Type LINE: new code"):
        edited(SOURCE, typed)
