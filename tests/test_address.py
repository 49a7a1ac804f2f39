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

from grader.catalog import notebook_images, notebook_settings, notebooks, stems

ROOT = Path(__file__).resolve().parent.parent
TOOL = runpy.run_path(str(ROOT / "tools" / "refresh_address.py"))
ADDRESS = f"https://github.com/{TOOL['owner']()}/wheres-my-tensor"


class Shell:
    """What a cell has of IPython: a shell for commands."""

    def __init__(self, path, folder):
        self.environment = {**os.environ, "PATH": str(path)}
        self.folder = folder

    def system(self, command):
        ran = ["/bin/sh", "-c", command]
        subprocess.run(ran, cwd=self.folder, env=self.environment, check=True)


def openings(path):
    """The badges and the cell for Colab, which follow each other."""
    cells = nbformat.read(path, 4).cells
    place = next(n for n, cell in enumerate(cells) if cell.id == "badges")
    badges, entry = cells[place : place + 2]
    assert entry.id == "in-colab"
    return cells[:place], badges, entry.source


@pytest.mark.parametrize("path", notebooks(), ids=lambda path: path.stem)
def test_a_notebook_begins_with_its_own_badges_and_the_cell_for_colab(path):
    text = path.read_text(encoding="utf-8")

    assert TOOL["with_openings"](text, path.stem) == text, "python tools/refresh_address.py"
    (title, *first_map), badges, entry = openings(path)
    assert title.source.startswith("# ")
    assert all("device_map" in cell.source for cell in first_map), "of 00 alone"
    colab, binder = re.findall(r"\]\((https://[^)]+)\)", badges.source)
    assert colab.endswith(f"{ADDRESS[len('https://github.com') :]}/blob/main/notebooks/{path.name}")
    assert binder.endswith(f"/main?urlpath=lab%2Ftree%2Fnotebooks%2F{path.name}")
    assert f"git+{ADDRESS}" in entry


@pytest.mark.parametrize("page", TOOL["PAGES"], ids=lambda page: page.name)
def test_a_page_tells_the_same_address(page):
    text = page.read_text(encoding="utf-8")

    assert TOOL["with_address"](text) == text, "python tools/refresh_address.py"


def test_an_address_is_changed_wherever_it_is_told():
    other = TOOL["with_address"].__globals__ | {"owner": lambda: "ada"}
    with_address = type(TOOL["with_address"])(TOOL["with_address"].__code__, other)

    for told in ("https://github.com/X/{}", "github.com%2FX%2F{}", "uses: X/{}@v1"):
        text = told.format("wheres-my-tensor")
        assert with_address(text) == text.replace("X", "ada")


def test_here_the_cell_for_colab_does_nothing():
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
        f"echo '#!/bin/sh\nexec {sys.executable} -m grader.cli \"$@\"' > {grader}\n"
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
