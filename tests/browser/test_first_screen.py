"""The first screen of the course: a module, a map, a move, and one surprise."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from lab import Notebook
from playwright.sync_api import expect

FIRST = "device_map(Listener(), predict=True)"


@pytest.mark.parametrize("theme", ["light", pytest.param("dark", marks=pytest.mark.nightly)])
def test_a_newcomer_predicts_on_the_map_and_is_surprised(theme, notebook: Notebook):
    notebook.use_theme(theme)
    notebook.open("notebooks/00_start_here.ipynb")
    cell = notebook.cell(FIRST)
    assert notebook.panel.locator(".jp-CodeCell").first.inner_text().count(FIRST) == 1

    notebook.run(cell)
    expect(cell.get_by_role("button", name="Move a copy to cuda:0")).to_be_in_viewport()
    cell.get_by_role("checkbox", name="bias").check()
    cell.get_by_role("button", name="Move a copy to cuda:0").click()

    status = cell.get_by_role("status")
    expect(status).to_contain_text("You did not expect mean to stay.")
    expect(status).to_contain_text("You expected layer.bias to stay, but it moved.")
    found = Axe().run(notebook.page, context={"include": [[".wmt-map"]]}).response["violations"]
    assert [
        violation["id"] for violation in found if violation["impact"] in ("serious", "critical")
    ] == []
    assert notebook.page.get_by_role("alert").all_inner_texts() == []  # as JupyterLab asks of news
