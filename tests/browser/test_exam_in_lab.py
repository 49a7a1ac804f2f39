"""The end of the course in JupyterLab: ten modules to judge, three to fix, and the result.

By mouse, in light, the first module; by the keyboard alone, in dark, the whole exam.
"""

import pytest
from axe_playwright_python.sync_playwright import Axe
from keys import Keyboard
from lab import Lab, Notebook
from playwright.sync_api import Locator, Page, expect

from grader.course.items.drawing import draw, to_fix

NOTEBOOK = "notebooks/15_exam.ipynb"
IMPORTS = "from grader import ensure_cuda, exam"
SEED = "lea"  # its third module has eleven choices, more than there are digits
MODULES = draw(SEED)


@pytest.fixture
def exam_cell(notebook: Notebook, lab: Lab, request: pytest.FixtureRequest) -> Locator:
    """The cell of the exam, ready to run."""
    theme = request.param
    notebook.use_theme(theme)
    notebook.open(NOTEBOOK)
    notebook.run(notebook.cell(IMPORTS))
    return notebook.cell("exam(")


@pytest.mark.nightly
@pytest.mark.parametrize("exam_cell", ["light"], indirect=True)
def test_by_mouse_the_next_module_is_read_from_its_first_line(
    notebook: Notebook, exam_cell: Locator
):
    notebook.write(exam_cell, f'exam("{SEED} by mouse")')
    notebook.run(exam_cell)
    first = question(exam_cell, 1)
    expect(first.get_by_role("button", name="I am sure")).to_be_disabled()
    assert serious_faults(notebook.page) == []

    first.locator(".option").last.click()
    first.get_by_role("button", name="I am not sure").click()

    second = question(exam_cell, 2)
    expect(second.locator(".heading")).to_be_in_viewport()
    expect(second).not_to_contain_text("is right")
    expect(second.get_by_role("radio", checked=True)).to_have_count(0)


@pytest.mark.nightly
@pytest.mark.parametrize("exam_cell", ["dark"], indirect=True)
def test_by_the_keyboard_alone_from_the_first_module_to_the_result(
    notebook: Notebook, exam_cell: Locator, lab: Lab
):
    keys = Keyboard(notebook)
    keys.write(exam_cell, f'exam("{SEED}")')
    keys.run(exam_cell)
    keys.tab_to(exam_cell.get_by_role("radio").first)
    assert serious_faults(notebook.page) == []
    assert max(len(module.choices) for module in MODULES) == 6
    for number, module in enumerate(MODULES, 1):
        asked = question(exam_cell, number)
        expect(asked.get_by_role("radio").first).to_be_focused()
        keys.press(module.right.lower(), "Tab")
        expect(asked.get_by_role("button", name="I am sure")).to_be_focused()
        keys.press("Enter")
    expect(exam_cell.get_by_role("status")).to_contain_text("run this cell again")
    assert serious_faults(notebook.page) == []

    folder = lab.course / "notebooks" / f"exam-{SEED}"
    for module in to_fix(SEED):
        assert (folder / f"{module.key}.py").read_text(encoding="utf-8") == module.code
        (folder / f"{module.key}.py").write_text(module.fixed, encoding="utf-8")
    keys.run(exam_cell)
    result = exam_cell.get_by_role("region", name="The result of your exam")
    expect(result).to_contain_text("10 of 10 read right, 3 of 3 fixed")


def question(cell: Locator, number: int) -> Locator:
    """The question about one of the ten modules."""
    return cell.get_by_role("region", name=f"Module {number} of 10,")


def serious_faults(page: Page) -> list[str]:
    """What axe finds serious or critical in the question."""
    found = Axe().run(page, context={"include": [[".wmt-question"]]}).response["violations"]
    return [
        violation["id"] for violation in found if violation["impact"] in ("serious", "critical")
    ]
