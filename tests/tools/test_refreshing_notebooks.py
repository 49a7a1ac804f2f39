"""tools/refresh_notebooks.py: what it stores of what a notebook shows."""

import json
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

import refresh_notebooks as tool

ROOT = Path(__file__).resolve().parents[2]


def printed(text):
    return new_output("stream", name="stdout", text=text)


def asking(asked="03.1"):
    """What asks, the cell that answers it, a cell below the next heading, and a figure."""
    picture = new_output("display_data", data={"image/png": "", "text/plain": "one tensor stays"})
    return new_notebook(
        cells=[
            new_code_cell(f'predict("{asked}")', outputs=[printed("Which?\n")]),
            new_code_cell("print(1)", outputs=[printed("1\n")], metadata={"tags": ["F01"]}),
            new_markdown_cell("## Later"),
            new_code_cell("print(2)", outputs=[printed("2\n")]),
            new_code_cell("figures.three_memories()", outputs=[picture]),
        ]
    )


def test_what_is_printed_in_pieces_is_joined_and_keeps_its_order():
    shown = new_output("display_data", data={"text/plain": "a map"})

    joined = tool.join_streams([printed("a\n"), printed("b\n"), shown, printed("c\n")])

    assert [output.get("text", "map") for output in joined] == ["a\nb\n", "map", "c\n"]


@pytest.mark.parametrize("asked", ["03.1", "03b"])
def test_only_what_answers_is_folded(asked):
    notebook = asking(asked)
    tool.fold(notebook)
    question, answer, _, later, figure = notebook.cells

    assert answer.metadata["jupyter"]["outputs_hidden"]
    assert answer.metadata["tags"] == ["F01", "hide-output"]
    assert [output.get("text", "") for output in answer.outputs] == ["", "1\n"]
    assert question.metadata == later.metadata == {}
    assert "jupyter" not in figure.metadata
    assert figure.metadata["mystnb"]["image"]["alt"] == "one tensor stays"
    nbformat.validate(notebook)


def test_folding_again_changes_nothing():
    notebook = asking()
    tool.fold(notebook)
    once = json.dumps(notebook.cells)
    tool.normalise(notebook)
    tool.fold(notebook)

    assert json.dumps(notebook.cells) == once
