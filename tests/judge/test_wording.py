"""The words that reports share: where a line is, what an exception is, and what to try then."""

import pytest
from msgspec.structs import replace

from grader.judge.wording import advice, apart, describe, in_file
from grader.schema import Operand, Raised

SIZES = "The size of tensor a (5) must match the size of tensor b (9)"
GIVEN = Operand("cpu", (2, 9, 9), "input", "x")
KEPT = Operand("cpu", (5, 5), "attribute", "self.future", 34, earlier=True)


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
        ("<the cell>", "<the cell of Base>", "line 7 of the cell"),
        ("<the cell of Base>", "<the cell>", "line 7 of the cell of Base"),
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
    ("actual", "expected", "digits", "texts"),
    [
        (0.15412, 0.25, 4, ("0.1541", "0.25")),
        (0.15412, 0.15408, 4, ("0.15412", "0.15408")),
        (-0.1, -0.1 - 1e-9, 2, ("-0.1", "-0.100000001")),
        (1.0, 1 + 1e-15, 3, ("1", "1.000000000000001")),
        (float("inf"), 2.0, 3, ("inf", "2")),
        (float("nan"), float("nan"), 3, ("nan", "nan")),
    ],
)
def test_two_numbers_are_shown_with_the_digits_that_differ(actual, expected, digits, texts):
    assert apart(actual, expected, digits) == texts


@pytest.mark.parametrize(
    ("cell", "message"), [("<the cell>", ""), ("<the cell of Base>", " of the cell of Base")]
)
def test_an_exception_in_another_cell_says_in_which(cell, message):
    assert describe(Raised("KeyError", "k", 7, file=cell)) == f"KeyError in line 7{message}: k"


@pytest.mark.parametrize(
    ("raised", "message"),
    [
        (
            Raised("RuntimeError", "Invalid device string: 'cuda:-1'"),
            ". The CPU has no number: `get_device()` returns -1 there. A tensor's `.device` is "
            "right everywhere",
        ),
        (
            Raised("AttributeError", "'KeypointFinder' object has no attribute 'device'"),
            ". A module has no device of its own, only its tensors have: ask one of them, "
            "such as a layer's weight, for its `.device`",
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
        (
            Raised("RuntimeError", SIZES, operands=(GIVEN, KEPT)),
            ". `self.future` keeps what line 34 made in an earlier call, for inputs of another "
            "size: ask for the size as well, before you use it again",
        ),
        (
            Raised("RuntimeError", SIZES, operands=(replace(KEPT, line=0),)),
            ". `self.future` keeps what is from an earlier call, for inputs of another size: ask "
            "for the size as well, before you use it again",
        ),
        (Raised("RuntimeError", SIZES, operands=(replace(KEPT, constructed=True),)), ""),
        (Raised("RuntimeError", SIZES, operands=(replace(GIVEN, device="cuda:0"), KEPT)), ""),
        (Raised("RuntimeError", "no kernel", operands=(GIVEN, KEPT)), ""),
        (Raised("AttributeError", "'list' object has no attribute 'detach'"), ""),
        (Raised("ZeroDivisionError", "division by zero", 4, "1 / 0"), ""),
    ],
)
def test_there_is_advice_where_it_is_known_what_was_meant(raised, message):
    assert advice(raised) == message
