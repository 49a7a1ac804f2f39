"""A learner in JupyterLab: runs notebook 03, predicts, moves, fails, takes a hint, passes.

Once by mouse, in light, and once by the keyboard alone, in dark, from where `grader lab` leaves a
learner: with the notebook open.
"""

import re

import nbformat
import pytest
from axe_playwright_python.sync_playwright import Axe
from keys import Keyboard
from lab import Lab, Notebook, exercise_answer
from playwright.sync_api import Locator, Page, expect

NOTEBOOK = "notebooks/03_member_tensors.ipynb"
EXERCISE = "class Normalizer"
PREDICT = 'predict("03.1")'
MAP = "device_map(speech)"
PROGRESS = "from grader import progress"
# What a learner might add below the exercise.
ADDED = [
    PREDICT,
    f"speech = nn.Sequential(Normalizer([0.5], [2.0]), nn.Linear(1, 2))\n{MAP}",
    "speech.cuda()",
    f"{PROGRESS}\nprogress()",
]
OURS = (".wmt-map", ".wmt", ".wmt-question", ".jp-OutputArea-output .jupyter-widgets")
STAYED = "2 stayed behind: [0].mean on cpu and [0].std on cpu; they are not registered."


@pytest.fixture
def story(request: pytest.FixtureRequest, lab: Lab) -> str:
    """Notebook 03 with more cells, for this test alone; nobody's progress so far."""
    lab.journal.unlink(missing_ok=True)
    notebook = nbformat.read(lab.course / NOTEBOOK, as_version=4)
    exercise = next(n for n, cell in enumerate(notebook.cells) if EXERCISE in cell.source)
    notebook.cells[exercise + 1 : exercise + 1] = map(nbformat.v4.new_code_cell, ADDED)
    name = f"notebooks/{request.node.name}.ipynb"
    nbformat.write(notebook, lab.course / name)
    return name


@pytest.mark.nightly
def test_by_mouse_in_light(notebook: Notebook, story: str):
    notebook.use_theme("light")
    notebook.open(story)
    notebook.run_all()
    nothing_done_yet(notebook)

    asked = notebook.cell(PREDICT).last
    expect(asked.get_by_role("region", name="Prediction 03.1")).to_have_count(1)  # no second one
    asked.locator(".option").nth(2).click(position={"x": 300, "y": 12})  # anywhere in its text
    asked.get_by_role("button", name="I am sure").click()
    box = asked.get_by_role("region", name="Prediction 03.1")
    expect(box).to_contain_text("Locked in: C, sure. Run the next cell")
    notebook.run(notebook.cell("speech.cuda()"))
    expect(box).to_contain_text("C is right")
    expect(asked.get_by_role("region", name="Prediction 03.1")).to_have_count(1)
    notebook.panel.locator("summary", has_text="prediction 03.1").click()
    expect(notebook.panel.locator("li", has_text="This forgets the buffers")).to_be_visible()

    shown = notebook.cell(MAP)
    status = shown.get_by_role("status")
    for device in ("cuda:1", "cuda:0"):
        shown.get_by_role("button", name=f"Move a copy to {device}").click()
        moved_without_its_statistics(shown, device)
    shown.get_by_role("button", name="Move a copy to cpu").click()
    expect(status).to_contain_text("2 tensors moved to cpu.")
    assert set(devices_shown(shown).values()) == {"cpu"}

    exercise = notebook.cell(EXERCISE)
    expect(exercise.get_by_text("Without buttons:")).to_be_hidden()
    assert serious_faults(notebook.page) == []
    expect(exercise.get_by_role("radio", checked=True)).to_have_count(0)
    blame(exercise, 5)
    expect(exercise.get_by_text("PyTorch raises there. Where was that tensor")).to_be_visible()
    blame(exercise, 2)
    expect(exercise.get_by_text(re.compile(r"You chose line \d+: right"))).to_be_visible()
    expect(exercise.get_by_text("Without buttons:")).to_be_hidden()
    expect(report(exercise)).to_have_count(1)  # the whole one stands in its place
    exercise.get_by_role("button", name="Hint 1 of 4").click()
    expect(exercise.get_by_text("Hint 1 of 4:")).to_be_visible()
    assert serious_faults(notebook.page) == []
    saved_without_buttons(notebook, story)
    shown_without_a_network(notebook, story)

    passes_and_it_stays(notebook, notebook)


def test_by_the_keyboard_alone_in_dark(notebook: Notebook, story: str):
    notebook.use_theme("dark")
    notebook.open(story)
    keys = Keyboard(notebook)
    keys.run_all()
    nothing_done_yet(notebook)

    shown = notebook.cell(MAP)
    status = shown.get_by_role("status")
    keys.go_to(shown)
    keys.tab_to(shown.get_by_role("button", name="Move a copy to cuda:0"))
    keys.press("Tab", "Space")
    moved_without_its_statistics(shown, "cuda:1")
    keys.press("Tab", "Enter")
    expect(status).to_contain_text("2 tensors moved to cpu.")
    keys.tab_to(shown.locator("summary").first)
    keys.press("Enter")
    expect(shown.get_by_text("mean", exact=True)).to_be_hidden()

    asked = notebook.cell(PREDICT).last
    keys.go_to(asked)
    keys.tab_to(asked.get_by_role("radio").first)
    keys.press("2")
    expect(asked.get_by_role("radio").nth(1)).to_be_checked()
    keys.press("3")
    keys.tab_to(asked.get_by_role("button", name="I am sure"))
    keys.press("Enter")
    expect(asked.get_by_role("region", name="Prediction 03.1")).to_contain_text("Locked in: C")

    exercise = notebook.cell(EXERCISE)
    keys.go_to(exercise)
    keys.tab_to(exercise.get_by_role("radio").first)
    keys.press("ArrowDown", "Tab", "Enter")
    expect(exercise.get_by_text("You have another try.")).to_be_visible()
    keys.press("Space", "Tab", "Enter")
    expect(exercise.get_by_text("You chose line")).to_be_visible()
    keys.tab_to(exercise.get_by_role("button", name="Hint 1 of 4"))
    keys.press("Enter")
    expect(exercise.get_by_text("Hint 1 of 4:")).to_be_visible()
    assert serious_faults(notebook.page) == []

    passes_and_it_stays(keys, notebook)


def passes_and_it_stays(hands: Notebook | Keyboard, notebook: Notebook) -> None:
    """The exercise is fixed and passes; its progress outlives the kernel."""
    exercise = notebook.cell(EXERCISE)
    hands.write(exercise, exercise_answer("03"))
    hands.run(exercise)
    expect(report(exercise)).to_contain_text("PASSED - 6 of 6")
    hands.run(notebook.cell(PROGRESS))
    one_exercise_done(notebook)
    hands.restart_kernel()
    hands.run(notebook.cell(PROGRESS))
    one_exercise_done(notebook)


def blame(exercise: Locator, place: int) -> None:
    """Choose one of the lines, and say that it is the one."""
    exercise.get_by_role("radio").nth(place).check()
    exercise.get_by_role("button", name="This line is to blame").click()


def report(exercise: Locator) -> Locator:
    """The report below an exercise."""
    return exercise.get_by_role("region", name="Report")


def nothing_done_yet(notebook: Notebook) -> None:
    """The starter fails, the map has followed the learner's module, and progress is none."""
    expect(report(notebook.cell(EXERCISE))).to_contain_text("NOT ATTEMPTED")
    expect(notebook.cell(PROGRESS)).to_contain_text("Exercises: 0 of")
    shown = notebook.cell(MAP)
    expect(shown.get_by_role("status")).to_contain_text("Your module changed in cell")
    devices = {"weight": "cuda:0", "bias": "cuda:0", "mean": "cpu", "std": "cpu"}
    assert devices_shown(shown) == devices
    expect(shown.get_by_role("table")).to_have_count(0)


def one_exercise_done(notebook: Notebook) -> None:
    """Progress says so."""
    expect(notebook.cell(PROGRESS)).to_contain_text("Exercises: 1 of")


def moved_without_its_statistics(cell: Locator, device: str) -> None:
    """The map says and shows that only what is registered went to a device."""
    expect(cell.get_by_role("status")).to_have_text(f"2 tensors moved to {device}. {STAYED}")
    assert devices_shown(cell) == {"weight": device, "bias": device, "mean": "cpu", "std": "cpu"}


def devices_shown(cell: Locator) -> dict[str, str]:
    """By its name, the device of each tensor."""
    parts = (
        "row => ['.name :last-child', '.device'].map(part => row.querySelector(part).textContent)"
    )
    rows = cell.locator(".tree .line:not(.branch)").evaluate_all(f"rows => rows.map({parts})")
    return {str(name): str(device) for name, device in rows}


def serious_faults(page: Page) -> list[tuple[str, list[str]]]:
    """What axe finds serious or critical in what is ours."""
    present = [selector for selector in OURS if page.locator(selector).count()]
    found = Axe().run(page, context={"include": [[selector] for selector in present]})
    return [
        (violation["id"], [node["html"] for node in violation["nodes"]])
        for violation in found.response["violations"]
        if violation["impact"] in ("serious", "critical")
    ]


def saved_without_buttons(notebook: Notebook, story: str) -> None:
    """On another day, nothing in the file asks for a widget whose kernel is gone."""
    notebook.save()
    assert "widget-view" not in (notebook.lab.course / story).read_text(encoding="utf-8")
    expect(notebook.cell(MAP).locator(".tree")).to_be_visible()


def shown_without_a_network(notebook: Notebook, story: str) -> None:
    """The notebook as HTML shows the report, the question and the map with nothing but itself."""
    page = notebook.page.context.new_page()
    page.route("**/*", lambda route: route.abort())
    page.set_content(notebook.exported(story), wait_until="domcontentloaded")
    expect(page.get_by_role("region", name="Report").first).to_contain_text("NOT ATTEMPTED")
    expect(page.get_by_role("region", name="Device map").first).to_contain_text("cuda:0")
    expect(page.get_by_role("region", name="Prediction 03.1").first).to_be_visible()
    page.close()
