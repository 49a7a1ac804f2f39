"""What `grader lab` leaves out of a notebook that it saves."""

from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from grader.learning.notebook.saving import leave_buttons_out
from grader.learning.notebook.widgets import VIEW

BUTTONS = {VIEW: {"model_id": "cafe"}}


def test_only_what_is_nothing_but_a_widget_is_left_out():
    stream = new_output("stream", text="cuda:0 (simulated)")
    shown = new_output("display_data", data={"text/html": "<b>Report</b>", "text/plain": "Report"})
    of_others = new_output("display_data", data={"text/plain": "IntSlider()"} | BUTTONS)
    outputs = [stream, shown, new_output("display_data", data=BUTTONS), of_others]
    cells = [new_markdown_cell("Your turn"), new_code_cell("check()", outputs=outputs)]
    notebook = new_notebook(cells=cells)

    leave_buttons_out({"type": "notebook", "content": notebook}, path="03.ipynb")

    assert notebook.cells[1].outputs == [stream, shown, of_others]


def test_other_files_are_saved_as_they_are():
    model = {"type": "file", "content": "import torch", "format": "text"}
    before = dict(model)

    leave_buttons_out(model)

    assert model == before
