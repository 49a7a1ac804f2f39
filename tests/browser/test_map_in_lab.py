"""The device map in JupyterLab: every key, and a huge module."""

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

    press(page, "Tab", "Tab")
    embed = cell.locator("summary", has_text='["embed"]')
    expect(embed).to_be_focused()
    assert embed.evaluate("e => getComputedStyle(e).outlineStyle") == "solid"
    press(page, "Enter")
    expect(cell.locator("summary", has_text='["predict"]')).to_be_visible()
    expect(cell.locator(".tree .line:not(.branch):visible")).to_have_count(2)
    press(page, "Space")
    expect(cell.locator(".tree .line:not(.branch):visible")).to_have_count(3)


def test_a_tensor_takes_one_line(maps: Notebook):
    """Its parts are the items of a grid, to which another extension's CSS may add some."""
    shown = maps.cell("device_map(model)").locator(".line", has_text="bias")
    tops = "e => [...e.children].map(part => part.getBoundingClientRect())"
    parts = [part for part in shown.evaluate(tops) if part["height"]]
    assert max(part["top"] for part in parts) < min(part["bottom"] for part in parts)


def test_of_ten_thousand_tensors_the_first_are_drawn(maps: Notebook):
    cell = maps.cell("10_000")
    expect(cell.locator(".tree .line")).to_have_count(1 + 200)
    expect(cell.get_by_text("and 9800 more")).to_be_visible()


def test_a_prediction_is_clicked_on_the_map_and_the_move_says_which_were_right(maps: Notebook):
    page, cell = maps.page, maps.cell("predict=True")
    expect(cell.get_by_role("table")).to_have_count(0)  # the one for pages without widgets
    expect(cell.get_by_role("status")).to_contain_text("Which tensors will stay behind?")
    expect(cell.locator(".tree")).not_to_contain_text("registered")
    weight = cell.get_by_role("checkbox", name="weight")
    weight.check()
    page.keyboard.down("Space")
    for _ in range(2):  # views come while the key is down
        cell.get_by_role("checkbox", name="bias").dispatch_event("click")
    maps.wait_until_idle()
    page.keyboard.up("Space")
    expect(weight).not_to_be_checked()
    expect(weight).to_be_focused()
    press(page, "Space")
    expect(weight).to_be_checked()

    cell.get_by_role("button", name="Move a copy to cuda:0").click()

    expect(cell.get_by_role("status")).to_contain_text("You did not expect mean to stay.")
    expect(cell.get_by_role("status")).to_contain_text("You expected [0].weight to stay, but it")
    expect(weight).to_have_count(0)
    expect(cell.locator(".line", has_text="weight")).to_contain_text("moved from cpu: a surprise")
    expect(cell.get_by_role("button", name="Move a copy to cpu")).to_be_visible()


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)
