"""`with expected_error():`, in a script and in IPython."""

import re

import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

from grader import expected_error

CELLS = (
    "import torch\nfrom grader import expected_error\n",
    "def parse(text):\n    return torch.nn.functional.one_hot(torch.tensor([int(text)]), 2)\n",
    "with expected_error():\n    parse('5')\nprint('went on')\n",
)


@pytest.fixture(scope="module")
def shown():
    """What a cell shows whose error comes from a function of an earlier cell, through PyTorch."""
    shell = InteractiveShell.instance()
    with capture_output() as captured:
        for cell in CELLS:
            shell.run_cell(cell, store_history=True).raise_error()
    InteractiveShell.clear_instance()
    return captured


def test_the_message_comes_with_the_learners_line_and_no_other(shown):
    (bundle,) = [output.data for output in shown.outputs]

    assert bundle["text/plain"] == (
        "RuntimeError: Class values must be smaller than num_classes.\n"
        "  line 2 of an earlier cell: "
        "return torch.nn.functional.one_hot(torch.tensor([int(text)]), 2)"
    )


def test_the_traceback_is_folded_and_names_no_file(shown):
    html = shown.outputs[0].data["text/html"]
    folded = re.search(r"<details>.*</details>", html, re.DOTALL)[0]

    assert "line 2 of this cell: <code>parse(&#39;5&#39;)</code>" in folded
    assert "line 2 of an earlier cell, in <code>parse</code>" in folded
    assert not re.search(r"\.py|site-packages|ipython-input", html)


def test_the_cell_goes_on_after_the_error(shown):
    assert shown.stdout == "went on\n"


def test_only_the_first_line_of_a_message_is_shown(capsys):
    with expected_error():
        raise ValueError("first\nOriginal Traceback: /somewhere/else.py")

    assert capsys.readouterr().out.startswith("ValueError: first\n  line ")


def test_an_error_without_a_message_is_called_by_its_name(capsys):
    with expected_error():
        next(iter(()))

    assert capsys.readouterr().out.startswith("StopIteration\n  line ")


def test_a_block_that_raises_nothing_shows_nothing(capsys):
    with expected_error():
        total = 1 + 1

    assert total == 2
    assert capsys.readouterr().out == ""


def test_an_interrupt_is_not_swallowed():
    with pytest.raises(KeyboardInterrupt), expected_error():
        raise KeyboardInterrupt
