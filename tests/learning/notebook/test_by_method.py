"""Exercise 02b in three cells of a notebook: a method is judged before the next one is written."""

import nbformat
import pytest
from cells import shown
from notebook_text import NOTEBOOKS

import refresh_notebooks as tool
from grader import check
from grader.course.catalog import find, solution_file, starter
from grader.learning.journal import read_journal

STEM = "02b_module_in_forty_lines"
NAMES = ("__setattr__", "parameters", "_apply")


def cells(*right):
    """The notebook's three cells, with these methods as the solution has them."""
    solved = solution_file(STEM).read_text(encoding="utf-8")
    made = []
    for code in (starter(STEM), solved):
        notebook = nbformat.read(NOTEBOOKS / f"{STEM}.ipynb", as_version=4)
        tool.put_code(notebook, lambda _, code=code: code)
        made.append([cell.source for cell in notebook.cells if tool.CHECKS.search(cell.source)])
    return [made[name in right][n] for n, name in enumerate(NAMES)]


@pytest.mark.parametrize("done", [1, 2, 3])
def test_each_passes_as_it_is_written(done):
    text = shown(*cells(*NAMES[:done])[:done])

    method = f": {NAMES[done - 1]}" if done < len(NAMES) else ""
    assert f"02b nn.Module in forty lines{method} ✓ PASSED" in text
    assert read_journal()[0].has_passed("02b") == (done == 3)


def test_the_first_that_is_wrong_is_told_of_alone():
    text = shown(*cells("__setattr__")[:2])

    assert "✗ NOT YET" in text
    assert "`parameters()` leaves out `hidden.layer.weight`" in text
    assert "__setattr__" not in text
    assert "_apply" not in text


def test_what_was_lent_is_taken_back():
    text = shown(cells("__setattr__")[0], 'print("_apply" in vars(Module))')

    assert text == "False"


def test_together_they_are_the_file():
    assert "NOT ATTEMPTED" in shown(*cells())


def test_a_function_that_is_no_method_is_refused():
    assert check("02b", find).verdict == "not_defined"
