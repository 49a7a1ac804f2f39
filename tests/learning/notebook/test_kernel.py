"""Predictions, reports and progress in a real kernel: what is stored, and what is only live."""

import nbformat
import pytest
from nbclient import NotebookClient
from nbconvert import HTMLExporter

from grader.learning.journal import read_journal

WIDGET = "application/vnd.jupyter.widget-view+json"
STATIC = {"text/html", "text/plain"}
SETUP = """\
import warnings

import torch
from ipywidgets import Button, Widget
from torch import nn
from grader import check, device_map, predict, progress, review

warnings.simplefilter("ignore")  # ipywidgets says that `widgets` is deprecated

def click(*descriptions):
    for description in descriptions:
        live = [each for each in Widget.widgets.values() if isinstance(each, Button)]
        [each.click() for each in live if each.description == description and not each.disabled]

class Normalizer(nn.Module):
    def __init__(self, mean, std):
        super().__init__()
        self.register_buffer("mean", torch.tensor(mean))
        self.std = torch.tensor(std)

    def forward(self, x):
        return (x - self.mean) / self.std
"""
ANSWER = """\
from grader.learning.notebook.quiz import QuestionView

views = [each for each in Widget.widgets.values() if isinstance(each, QuestionView)]
for each in views:
    each._handle_custom_msg({"lock": "B", "sure": False}, [])
for line in ("16", "22"):
    views[-1]._handle_custom_msg({"lock": line, "sure": True}, [])
"""
CELLS = {
    "setup": SETUP,
    "map": "device_map(Normalizer([0.5], [2.0]))",
    "predict": 'predict("03.1")',
    "check": 'check("03", Normalizer)',
    "use": ANSWER + 'click("Hint 1 of 4", "Hint 2 of 4")',
    "predict again": 'predict("03.1")',
    "check again": 'check("03", Normalizer)',
    "last hints": 'click("Hint 3 of 4", "Hint 4 of 4")',
    "fixes": 'check("03", Normalizer)',
    "quietly": 'report = check("03", Normalizer)',
    "progress": "progress()",
    "review": "review()",
}


@pytest.fixture(scope="module")
def executed(tmp_path_factory):
    """The notebook after a run, and the journal."""
    with pytest.MonkeyPatch.context() as patch:
        path = tmp_path_factory.mktemp("kernel") / "journal.json"
        patch.setenv("GRADER_JOURNAL", str(path))
        cells = [nbformat.v4.new_code_cell(source) for source in CELLS.values()]
        notebook = nbformat.v4.new_notebook(cells=cells)
        NotebookClient(
            notebook, timeout=120, extra_arguments=["--IPKernelApp.log_level=ERROR"]
        ).execute()
        journal, notice = read_journal()
    assert notice == ""
    return notebook, journal


@pytest.fixture(scope="module")
def outputs(executed):
    """The outputs of each cell, by its name."""
    return {name: cell.outputs for name, cell in zip(CELLS, executed[0].cells, strict=True)}


@pytest.mark.parametrize("cell", ["map", "predict", "check", "predict again", "check again"])
def test_what_is_stored_and_what_is_live_are_two_outputs(cell, outputs):
    # nbval, which leaves widgets out, so sees one output, and a page of nbconvert no empty place.
    stored, live = outputs[cell]

    assert set(stored.data) == STATIC
    assert set(live.data) == {WIDGET}


def test_what_stands_for_a_question_says_what_was_answered_and_then_who_was_right(
    outputs,
):
    for cell in ("predict", "predict again"):
        html = outputs[cell][0].data["text/html"]
        assert "Locked in: B, not sure." in html
        assert "✗ Not B" in html
        assert "✓ C is right" in html
    assert "is right" not in outputs["predict"][0].data["text/plain"]


def test_the_reasons_come_once_a_line_is_blamed_and_the_fix_with_the_last_hint(outputs):
    first, second, last = (outputs[name][0].data for name in ("check", "check again", "fixes"))

    for form in STATIC:
        assert "Which line is to blame?" in first[form]
        assert "check(&#34;03&#34;, Normalizer, line=N)" in first[form].replace('"', "&#34;")
        assert "member-tensor" not in first[form]
        assert "member-tensor" in second[form]
        assert "Fix:" not in second[form]
        assert "Fix:" in last[form]
    assert "\n  19      self.std = torch.tensor(std)" in first["text/plain"]


def test_a_report_that_is_not_shown_has_no_buttons(outputs):
    assert outputs["quietly"] == []


def test_nbconvert_as_it_is_shows_each_output_beside_its_widget(executed):
    page, _ = HTMLExporter().from_notebook_node(executed[0])

    assert WIDGET in page, "the run stored its widgets, which only the network could draw"
    for shown in ("Device map", "Prediction 03.1", "Report: 03"):
        assert f'aria-label="{shown}' in page


def test_buttons_and_checks_write_into_the_journal(executed, outputs):
    _, journal = executed

    assert outputs["use"] == []
    assert (journal.prediction("03.1").choice, journal.prediction("03.1").sure) == ("B", False)
    assert journal.hints_taken("03") == 4
    assert journal.tries("03") == 3
    assert (journal.looks["03"].lines, journal.looks["03"].found) == ((16, 22), False)


def test_progress_is_shown_in_both_forms(outputs):
    (output,) = outputs["progress"]

    assert set(output.data) == STATIC
    assert "not yet, 3 tries, 4 hints, today" in output.data["text/plain"]
    assert "Of 1 that you were not sure of, none was right." in output.data["text/html"]


def test_nothing_is_due_on_the_first_day(outputs):
    (output,) = outputs["review"]

    assert output.text.startswith("Nothing is due. The next question comes")
