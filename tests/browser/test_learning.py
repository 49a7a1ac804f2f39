"""A learner in JupyterLab: runs notebook 03, predicts, moves, fails, takes a hint, passes."""

import re

import nbformat
import pytest
from axe_playwright_python.sync_playwright import Axe
from lab import Lab, Notebook, exercise_answer
from playwright.sync_api import Locator, Page, expect

NOTEBOOK = "notebooks/03_member_tensors.ipynb"
STORY = "notebooks/story.ipynb"
ADDED = [
    "from grader import device_map, predict, progress",
    'predict("03.1")',
    "speech = nn.Sequential(Normalizer([0.5], [2.0]), nn.Linear(1, 2))\ndevice_map(speech)",
    "speech.cuda()",
    "progress()",
]
OURS = (".wmt-map", ".wmt", ".jp-OutputArea-output .jupyter-widgets")
STAYED = "2 stayed behind: [0].mean on cpu and [0].std on cpu; they are not registered."


@pytest.fixture
def story(lab: Lab) -> str:
    """Notebook 03 with cells that a learner might add at its end; nobody's progress so far."""
    lab.journal.unlink(missing_ok=True)
    notebook = nbformat.read(lab.course / NOTEBOOK, as_version=4)
    notebook.cells += [nbformat.v4.new_code_cell(code) for code in ADDED]
    nbformat.write(notebook, lab.course / STORY)
    return STORY


@pytest.mark.parametrize("theme", ["light", "dark"], indirect=True)
def test_from_the_first_cell_to_a_progress_that_stays(notebook: Notebook, story: str):
    notebook.open(story)
    notebook.run_all()
    exercise = notebook.cell("class Normalizer")
    report = exercise.get_by_role("region", name="Report")
    progress = notebook.cell("progress()").last
    expect(report).to_contain_text("NOT ATTEMPTED")
    expect(progress).to_contain_text("Exercises: 0 of")

    predict_and_lock(notebook.cell('predict("03.1")').last)
    move_a_copy(notebook.cell("device_map(speech)"))
    exercise.get_by_role("button", name="Hint 1 of 4").click()
    expect(exercise.get_by_text("Hint 1 of 4:")).to_be_visible()
    assert serious_faults(notebook.page) == []
    without_a_network(notebook, story)

    notebook.write(exercise, exercise_answer("03"))
    notebook.run(exercise)
    expect(report).to_contain_text("PASSED - 6 of 6")
    notebook.run(progress)
    expect(progress).to_contain_text("Exercises: 1 of")
    notebook.restart_kernel()
    notebook.run(notebook.cell("from grader import device_map"))
    notebook.run(progress)
    expect(progress).to_contain_text("Exercises: 1 of")


def predict_and_lock(cell: Locator) -> None:
    """Choose C, be certain, lock it in, and see why."""
    cell.get_by_role("radio", name="C", exact=True).check()
    cell.get_by_role("radio", name="certain").check()
    cell.get_by_role("button", name="Lock in").click()
    expect(cell.get_by_text("Locked in: C, certain.")).to_be_visible()
    show = cell.get_by_role("button", name="Show the answer")
    show.click()
    expect(show).to_be_disabled()


def move_a_copy(cell: Locator) -> None:
    """The next cell has moved the learner's own module; now a copy of it goes on."""
    said = cell.get_by_role("status")
    expect(said).to_contain_text("Your module changed in cell")
    devices = {"weight": "cuda:0", "bias": "cuda:0", "mean": "cpu", "std": "cpu"}
    assert devices_shown(cell) == devices
    for device in ("cuda:1", "cuda:0"):
        cell.get_by_role("button", name=f"Move a copy to {device}").click()
        expect(said).to_have_text(f"2 tensors moved to {device}. {STAYED}")
        assert devices_shown(cell) == devices | {"weight": device, "bias": device}
    cell.get_by_role("button", name="Move a copy to cpu").click()
    expect(said).to_contain_text("2 tensors moved to cpu.")
    assert set(devices_shown(cell).values()) == {"cpu"}
    cell.get_by_role("slider").press("ArrowLeft")
    expect(said).to_contain_text("2 tensors moved to cuda:0.")


def devices_shown(cell: Locator) -> dict[str, str]:
    """By its name, the device of each tensor, as a screen reader tells it."""
    rows = cell.locator('[role="treeitem"]:not([aria-expanded])')
    labels = [row.get_attribute("aria-label") or "" for row in rows.all()]
    return dict(re.findall(r"^(\w+), on ([^,]+)", "\n".join(labels), re.MULTILINE))


def serious_faults(page: Page) -> list[tuple[str, list[str]]]:
    """What axe finds serious or critical in what is ours."""
    present = [each for each in OURS if page.locator(each).count()]
    found = Axe().run(page, context={"include": [[each] for each in present]})
    return [
        (each["id"], [node["html"] for node in each["nodes"]])
        for each in found.response["violations"]
        if each["impact"] in ("serious", "critical")
    ]


def without_a_network(notebook: Notebook, story: str) -> None:
    """The notebook as HTML shows the report, the question and the map with nothing but itself."""
    notebook.save()
    page = notebook.page.context.new_page()
    page.route("**/*", lambda route: route.abort())
    page.set_content(notebook.exported(story), wait_until="domcontentloaded")
    expect(page.get_by_role("region", name="Report").first).to_contain_text("NOT ATTEMPTED")
    expect(page.get_by_role("region", name="Device map").first).to_contain_text("G0 cuda:0")
    expect(page.get_by_role("region", name="Prediction 03.1").first).to_be_visible()
    page.close()
