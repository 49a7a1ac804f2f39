"""Take the pictures of the README and the docs anew, in a real JupyterLab, light and dark.

Usage: python tools/screenshots.py; it writes docs/images/NAME_THEME.png. Run it where no GPU is. It
drives JupyterLab as tests/browser does, and needs a Chromium or Chrome.
"""

import io
import shutil
import sys
import tempfile
from pathlib import Path

import nbformat
from PIL import Image
from playwright.sync_api import Locator, expect, sync_playwright

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests" / "browser")]

from chromium import BROWSER_FLAGS, BROWSERS  # noqa: E402
from lab import THEMES, Notebook, opened, running_lab  # noqa: E402

IMAGES = ROOT / "docs" / "images"
SHARPNESS = 1.5
COLOURS = 128
IMPORTS = """import torch
from torch import nn
from grader import check, device_map, predict, progress"""
MAP = """class SpectrumClassifier(nn.Module):
    def __init__(self, bins, classes):
        super().__init__()
        self.window = torch.hann_window(bins)
        self.norm = nn.BatchNorm1d(bins)
        self.linear = nn.Linear(bins, classes)

model = SpectrumClassifier(bins=8, classes=3)
device_map(model)"""
ANSWER = """class Normalizer(nn.Module):
    def __init__(self, mean, std):
        super().__init__()
        self.register_buffer("mean", torch.tensor(mean))
        {std}

    def forward(self, x):
        return (x - self.mean) / self.std

check("03", Normalizer)"""
FAILING = ANSWER.format(std="self.std = torch.tensor(std)")
PASSING = ANSWER.format(std='self.register_buffer("std", torch.tensor(std))')
CELLS = (IMPORTS, MAP, FAILING, PASSING, 'predict("03.1")', "progress()")


def main() -> int:
    """Take every picture; return 0."""
    found = next(filter(None, map(shutil.which, BROWSERS)))
    with (
        tempfile.TemporaryDirectory() as folder,
        running_lab(Path(folder)) as lab,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=found, args=BROWSER_FLAGS)
        with opened(browser, lab, scale=SHARPNESS) as notebook:
            for theme in THEMES:
                take_all(notebook, theme)
        browser.close()
    return 0


def take_all(notebook: Notebook, theme: str) -> None:
    """All pictures in one theme, of a learner without any progress so far."""
    lab, name = notebook.lab, f"shown_{theme}.ipynb"
    lab.journal.unlink(missing_ok=True)
    cells = [nbformat.v4.new_code_cell(code) for code in CELLS]
    metadata = nbformat.read(lab.course / "notebooks" / "00_start_here.ipynb", 4).metadata
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata=metadata), lab.course / name)
    notebook.use_theme(theme)
    notebook.open(name)
    notebook.run_all()
    take_map(notebook, theme)
    take(outputs(notebook, "self.std = torch"), f"check_failing_{theme}")
    take(outputs(notebook, '"std", torch'), f"check_passing_{theme}")
    take_prediction(notebook, theme)
    notebook.run(notebook.cell("progress()"))
    take(outputs(notebook, "progress()"), f"progress_{theme}")


def take_map(notebook: Notebook, theme: str) -> None:
    """The device map before and after a move of the copy."""
    shown = notebook.cell("device_map(model)")
    take(shown.locator(".wmt-view"), f"device_map_before_{theme}")
    shown.get_by_role("button", name="Move a copy to cuda:0").click()
    expect(shown.get_by_role("status")).to_contain_text("1 stayed behind")
    take(shown.locator(".wmt-view"), f"device_map_after_{theme}")


def take_prediction(notebook: Notebook, theme: str) -> None:
    """A question whose answer is locked in."""
    asked = notebook.cell("predict(")
    asked.locator(".option").nth(2).click()
    asked.get_by_role("button", name="I am sure").click()
    expect(asked.get_by_role("status")).to_contain_text("Locked in: C, sure.")
    take(outputs(notebook, "predict("), f"prediction_{theme}")


def outputs(notebook: Notebook, code: str) -> Locator:
    """What stands below the cell with this code."""
    shown: Locator = notebook.cell(code).last.locator(".jp-Cell-outputArea")
    return shown


def take(shown: Locator, name: str) -> None:
    """One picture, in few colours, which is a fraction of the size."""
    shown.evaluate("shown => shown.ownerDocument.activeElement?.blur()")
    shown.page.mouse.move(0, 0)  # JupyterLab colours the row of a table below the pointer
    picture = Image.open(io.BytesIO(shown.screenshot(animations="disabled")))
    few = picture.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
    path = IMAGES / f"{name}.png"
    few.save(path, optimize=True)
    print(f"{path.relative_to(ROOT)}: {path.stat().st_size // 1024} KB", flush=True)


if __name__ == "__main__":
    sys.exit(main())
