"""Fixes of misused registration, and of weights that are tied by their memory only."""

import pytest
from fixed_code import HEAD, ask, edited, line_of

from grader.judge.fixes.misuse import fix_registration

INITS = f"""{HEAD}
class Base(nn.Module):
    limit = 3

    def helper(self, other):
        pass

    def __init__(self, size, device):
        super().__init__()

class Middle(Base):
    pass

class Right(Middle):
    def __init__(self, size, device, more):
        \"\"\"Takes more.\"\"\"
        self.a = nn.Linear(size, more)
        super().__init__()
        self.b = 3

class Lacking(Base):
    def __init__(self, size):
        self.lacking = nn.Linear(size, size)

class Alone(nn.Module):
    def __init__(self, rows):
        self.alone = nn.Linear(rows, rows)

    def forward(self, x):
        return self.called(x)

class Described(nn.Module):
    def __init__(self):
        "Nothing more."

def __init__(self):
    self.loose = nn.Linear(2, 2)
"""


def initialised(at):
    return ask(fix_registration, INITS, "self", at, variant="not initialised first")


def test_what_the_nearest_base_takes_is_given_first_and_a_late_call_is_left_out():
    fix = initialised("self.a = ")
    after = edited(fix, INITS).splitlines()
    start = line_of(INITS, '"""Takes more.')

    assert fix.words == "Make `super().__init__()` the first line of `__init__`"
    assert [line.strip() for line in after[start : start + 4]] == [
        "super().__init__(size, device)",
        "self.a = nn.Linear(size, more)",
        "",
        "self.b = 3",
    ]


@pytest.mark.parametrize("at", ["self.alone = ", "self.loose = ", "def __init__(self, rows)"])
def test_where_no_base_of_the_file_takes_arguments_none_are_given(at):
    (edit,) = initialised(at).edits

    assert edit.after.startswith("super().__init__()\nself.")


@pytest.mark.parametrize("at", ["self.lacking = ", "return self.called", "class Alone", '"Nothing'])
def test_where_it_cannot_be_called_it_is_told_in_words(at):
    assert initialised(at) is None
