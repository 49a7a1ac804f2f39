"""The repository's address is told in one place; from it come the badges and the cell for Colab."""

import os
import re
import runpy
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import nbformat
import pytest

from grader.course.catalog import notebook_images, notebook_settings, notebooks, stems

ROOT = Path(__file__).resolve().parents[2]
TOOL = runpy.run_path(str(ROOT / "tools" / "refresh_address.py"))
OWNER = TOOL["owner"]()
ADDRESS = "https://github.com/ada/wheres-my-tensor"


class Shell:
    """What a cell has of IPython: a shell for commands."""

    def __init__(self, path, folder):
        self.environment = {**os.environ, "PATH": str(path)}
        self.folder = folder

    def system(self, command):
        ran = ["/bin/sh", "-c", command]
        subprocess.run(ran, cwd=self.folder, env=self.environment, check=True)


def openings(path):
    """The cells above the badges, the badges, and the code for Colab, with an address."""
    text = TOOL["with_openings"](path.read_text(encoding="utf-8"), path.stem, "ada")
    cells = nbformat.reads(text, 4).cells
    i = next(n for n, cell in enumerate(cells) if cell.id == "badges")
    badges, entry = cells[i : i + 2]
    assert entry.id == "in-colab"
    return cells[:i], badges, entry.source


@pytest.mark.parametrize("path", notebooks(), ids=lambda path: path.stem)
def test_a_notebook_is_as_the_address_wants_it(path):
    text = path.read_text(encoding="utf-8")

    assert TOOL["with_openings"](text, path.stem, OWNER) == text, "python tools/refresh_address.py"
    assert ('"badges"' in text) == ('"in-colab"' in text) == (OWNER != "OWNER")


@pytest.mark.parametrize("path", notebooks(), ids=lambda path: path.stem)
def test_with_an_address_a_notebook_begins_with_badges_and_the_cell_for_colab(path):
    (title, *first_map), badges, entry = openings(path)

    assert title.source.startswith("# ")
    assert all("device_map" in cell.source for cell in first_map), "of 00 alone"
    colab, binder = re.findall(r"\]\((https://[^)]+)\)", badges.source)
    assert colab.endswith(f"/ada/wheres-my-tensor/blob/main/notebooks/{path.name}")
    assert binder.endswith(f"/main?urlpath=lab%2Ftree%2Fnotebooks%2F{path.name}")
    assert f"git+{ADDRESS}" in entry


@pytest.mark.parametrize("path", notebooks(), ids=lambda path: path.stem)
def test_an_address_that_is_taken_back_leaves_nothing(path):
    text = path.read_text(encoding="utf-8")
    without = TOOL["with_openings"](text, path.stem, "OWNER")

    with_it = TOOL["with_openings"](without, path.stem, "ada")

    assert "OWNER" not in without
    assert TOOL["with_openings"](with_it, path.stem, "OWNER") == without


@pytest.mark.parametrize("page", TOOL["PAGES"], ids=lambda page: page.name)
def test_a_page_tells_the_same_address(page):
    text = page.read_text(encoding="utf-8")

    assert TOOL["with_address"](text, OWNER) == text, "python tools/refresh_address.py"


@pytest.mark.parametrize("page", TOOL["PAGES"], ids=lambda page: page.name)
def test_a_page_links_to_nobody(page):
    """Without an address, OWNER stands in code only, below a sentence that says what it means."""
    text = TOOL["with_address"](page.read_text(encoding="utf-8"), "OWNER")
    prose = re.sub(r"```.*?```|`[^`\n]*`", "", text, flags=re.DOTALL)

    assert not re.search(r"OWNER(/|%2F)wheres", prose)
    assert ("no public address yet" in text) == bool(re.search(r"OWNER(/|%2F)wheres", text))


@pytest.mark.parametrize("page", TOOL["PAGES"], ids=lambda page: page.name)
def test_with_an_address_no_page_speaks_of_its_lack(page):
    text = TOOL["with_address"](page.read_text(encoding="utf-8"), "ada")

    assert "no public address yet" not in text
    assert "OWNER/wheres" not in text


@pytest.mark.parametrize(
    "message", ["https://github.com/X/{}", "github.com%2FX%2F{}", "uses: X/{}@v1"]
)
def test_an_address_is_changed_wherever_it_is_told(message):
    text = message.format("wheres-my-tensor")

    assert TOOL["with_address"](text, "ada") == text.replace("X", "ada")


def test_outside_colab_its_cell_does_nothing():
    exec(openings(notebooks()[0])[2], {})  # it would need a `get_ipython`


@pytest.mark.skipif(sys.platform == "win32", reason="Colab is a Linux")
def test_in_colab_the_first_cell_installs_the_course_once(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "google.colab", ModuleType("google.colab"))
    programs, content = tmp_path / "bin", tmp_path / "content"
    programs.mkdir()
    content.mkdir()
    # A pip that writes down what it is asked for, and brings the command along.
    grader, pip = programs / "grader", programs / "pip"
    pip.write_text(
        f'#!/bin/sh\necho "$@" >> {tmp_path}/asked\n'
        f'echo \'#!/bin/sh\nexec "{sys.executable}" -m grader.cli "$@"\' > {grader}\n'
        f"/bin/chmod +x {grader}\n"
    )
    pip.chmod(0o755)
    shell = Shell(programs, content)

    for path in notebooks()[:2]:
        exec(openings(path)[2], {"get_ipython": lambda: shell})

    asked = (tmp_path / "asked").read_text().splitlines()
    assert asked == [f"install -q anywidget git+{ADDRESS}"]
    laid_out = {path.name for path in content.rglob("*.*")}
    beside = (*notebooks(), *notebook_images(), *notebook_settings())
    assert laid_out >= {path.name for path in beside}
    assert laid_out >= {f"{stem}.py" for stem in stems()}
