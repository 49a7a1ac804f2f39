"""What is said behind the words of an exception that learners meet."""

import pytest

from grader.judge.advice import advice
from grader.schema.evidence import Raised


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
