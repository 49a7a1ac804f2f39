"""The words that reports share: where a line is, what an exception is, and what to try then."""

import pytest

from grader.judge.wording import advice, describe, in_file
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


@pytest.mark.parametrize(
    ("raised", "message"),
    [
        (
            Raised("AttributeError", "'KeypointFinder' object has no attribute 'device'"),
            ". A module has no device of its own, only its tensors have: ask the input for its "
            "`.device`",
        ),
        (
            Raised("StopIteration", "", 30, "device = next(self.parameters()).device"),
            ". There are no Parameters to ask for their device here: ask the input for its "
            "`.device`",
        ),
        (
            Raised("TypeError", "'module' object is not callable", 9, "w = nn.parameter(ones)"),
            ". The class is `nn.Parameter`",
        ),
        (
            Raised("NameError", "name 'ModuleList' is not defined"),
            ". It is in `torch.nn`: `nn.ModuleList`",
        ),
        (
            Raised("AttributeError", "'Normalizer' object has no attribute 'registerbuffer'"),
            ". Do you mean `register_buffer`?",
        ),
        (Raised("AttributeError", "'Normalizer' object has no attribute 'window'"), ""),
        (Raised("AttributeError", "'list' object has no attribute 'detach'"), ""),
        (Raised("ZeroDivisionError", "division by zero", 4, "1 / 0"), ""),
    ],
)
def test_there_is_advice_where_it_is_known_what_was_meant(raised, message):
    assert advice(raised) == message
