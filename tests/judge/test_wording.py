"""How messages name a line: with its file only where that is another one."""

import pytest

from grader.judge.wording import describe, in_file
from grader.schema.evidence import Raised


@pytest.mark.parametrize(
    ("file", "here", "message"),
    [
        ("", "", "line 7"),
        ("", "net.py", "line 7"),
        ("net.py", "net.py", "line 7"),
        ("models/net.py", "", "line 7 of net.py"),
        ("models/net.py", "models/base.py", "line 7 of net.py"),
        ("/tmp/ipykernel_12/345.py", "/tmp/ipykernel_12/678.py", "line 7 of another cell"),
        ("<ipython-input-3-abc>", "net.py", "line 7 of another cell"),
    ],
)
def test_a_line_is_named_with_its_file_only_where_it_is_elsewhere(
    file: str, here: str, message: str
):
    assert in_file(7, file, here) == message


def test_an_exception_names_its_file_to_a_reader_of_another():
    raised = Raised("KeyError", "k", 7, file="base.py")

    assert describe(raised) == "KeyError in line 7: k"
    assert describe(raised, "net.py") == "KeyError in line 7 of base.py: k"
