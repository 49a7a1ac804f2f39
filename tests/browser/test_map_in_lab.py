"""The device map in JupyterLab: every key, and a huge module."""

import re

import nbformat
import pytest
from lab import Lab, Notebook
from playwright.sync_api import Page, expect

CELLS = [
    "import torch\nfrom torch import nn\nfrom grader import device_map",
    """model = nn.ModuleDict({"embed": nn.Embedding(5, 3), "predict": nn.Linear(3, 5)})
model["predict"].weight = model["embed"].weight
device_map(model)""",
    "device_map(nn.ParameterList(torch.ones(1) for _ in range(10_000)))",
    """speech = nn.Sequential(nn.Linear(3, 2))
speech.mean = torch.zeros(3)
device_map(speech, predict=True)""",
]


@pytest.fixture(scope="module")
def maps(page_of_all: Notebook, lab: Lab) -> Notebook:
    written = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell(code) for code in CELLS],
        metadata={
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
    )
    nbformat.write(written, lab.course / "maps.ipynb")
    page_of_all.open("maps.ipynb")
    page_of_all.run_all()
    return page_of_all


def test_the_keyboard_alone_moves_a_copy_and_walks_the_tree(maps: Notebook):
    page, cell = maps.page, maps.cell("device_map(model)")
    cell.get_by_role("button", name="Move a copy to cuda:0").focus()
    press(page, "Enter")
    expect(cell.get_by_role("status")).to_have_text("2 tensors moved to cuda:0.")
    press(page, "Tab", "Space")
    expect(cell.get_by_role("status")).to_have_text("2 tensors moved to cuda:1.")
    press(page, "Tab", "Tab", "Enter")
    expect(cell.get_by_role("status")).to_contain_text("Back to your module.")

    press(page, "Tab")
    assert focused(page).startswith("ModuleDict, module ModuleDict")
    press(page, "ArrowDown")
    assert focused(page).startswith('["embed"], module Embedding')
    press(page, "ArrowRight")
    assert focused(page).startswith("weight, on cpu, shape (5, 3), float32")
    press(page, "ArrowLeft", "ArrowLeft")
    expect(page.locator(":focus")).to_have_attribute("aria-expanded", "false")
    press(page, "End")
    assert focused(page).startswith("bias, on cpu")
    press(page, "Home")
    assert focused(page).startswith("ModuleDict")
    assert (
        page.locator(":focus").evaluate("e => getComputedStyle(e.firstChild).outlineStyle")
        == "solid"
    )


def test_a_tensor_takes_one_line(maps: Notebook):
    """Its parts are the items of a grid, to which another extension's CSS may add some."""
    shown = maps.cell("device_map(model)").get_by_role("treeitem", name=re.compile("^bias"))
    tops = "e => [...e.firstChild.children].map(part => part.getBoundingClientRect())"
    parts = [part for part in shown.evaluate(tops) if part["height"]]
    assert max(part["top"] for part in parts) < min(part["bottom"] for part in parts)


def test_of_ten_thousand_tensors_the_first_are_drawn(maps: Notebook):
    cell = maps.cell("10_000")
    expect(cell.get_by_role("treeitem")).to_have_count(1 + 200)
    expect(cell.get_by_text("and 9800 more")).to_be_visible()


def test_a_prediction_is_clicked_on_the_map_and_the_move_says_which_were_right(maps: Notebook):
    page, cell = maps.page, maps.cell("predict=True")
    expect(cell.get_by_role("table")).to_have_count(0)  # the one for pages without widgets
    expect(cell.get_by_role("status")).to_contain_text("Which tensors will stay behind?")
    expect(cell.get_by_role("tree")).not_to_contain_text("registered")
    weight = cell.get_by_role("treeitem", name=re.compile("^weight"))
    weight.click()
    expect(weight).to_have_attribute("aria-checked", "true")
    press(page, "Space")
    expect(weight).to_have_attribute("aria-checked", "false")
    press(page, "Enter")
    expect(weight).to_have_attribute("aria-checked", "true")

    cell.get_by_role("button", name="Move a copy to cuda:0").click()

    expect(cell.get_by_role("status")).to_contain_text("You did not expect mean to stay.")
    expect(cell.get_by_role("status")).to_contain_text("You expected [0].weight to stay, but it")
    expect(weight).not_to_have_attribute("aria-checked", "true")
    expect(weight).to_contain_text("moved from cpu: a surprise")
    expect(cell.get_by_role("button", name="Move a copy to cpu")).to_be_visible()


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def focused(page: Page) -> str:
    return page.locator(":focus").get_attribute("aria-label") or ""
