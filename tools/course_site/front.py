"""The front page: a bug to be wrong about at once, and the lessons."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from docutils import nodes
from markupsafe import Markup
from sphinx.util.docutils import SphinxDirective
from torch import nn

from course_site.lines import linked, look_data
from course_site.maps import recorded
from course_site.mounting import mount, note_sources, template
from course_site.weight import coloured
from grader.auditing import audit_file
from grader.course import all_rubrics, notebooks
from grader.learning.first_look import first_look
from grader.probe import Inputs, torch_as_it_was
from grader.render import fragment
from grader.schema import Check, Report

NAME = "Listener"
SOURCE = """\
class Listener(nn.Module):
    def __init__(self):
        super().__init__()
        self.mean = torch.tensor([0.2, 0.5, 0.1])
        self.layer = nn.Linear(3, 2)

    def forward(self, sound):
        return self.layer(sound - self.mean)
"""
IMPORTS = "import torch; from torch import nn\n"
INPUT = "\n\ndef example_input():\n    return (torch.ones(4, 3),)\n"
# A row of the first notebook's table of lessons: its number, and the question that it answers.
LESSON = re.compile(r"^\| \W*(\d\w+)\W* \| .+ \| (.+?) \|$", re.MULTILINE)


class Bug(SphinxDirective):
    """`{bug}`: three tensors, a move, PyTorch's message, and which line is to blame."""

    def run(self) -> list[nodes.Node]:
        note_sources(self.env)
        return [nodes.raw("", _bug(), format="html")]


class Lessons(SphinxDirective):
    """`{lessons}`: every notebook with its number, its title and the question that it answers."""

    def run(self) -> list[nodes.Node]:
        note_sources(self.env)
        html = mount("lessons", inside=template("lessons.html", lessons=list(_lessons())))
        return [nodes.raw("", html, format="html")]


def _bug() -> Markup:
    report = _audited()
    line = len((IMPORTS + SOURCE).splitlines())  # which raises; an audit has no check that says so
    raises = Check("forward", False, 0, 1, f"`forward` raised RuntimeError in line {line}")
    rubric = replace(all_rubrics()[0], class_name=NAME)
    look = first_look(rubric, replace(report, checks=(raises,)), IMPORTS + SOURCE)
    assert look, "the audit must blame a line of the class"
    shown: dict[str, Any] = {}
    exec(IMPORTS + SOURCE, shown)
    with torch_as_it_was():
        module: nn.Module = shown[NAME]()
        steps = recorded(module, Inputs((torch.ones(4, 3),)), asks=True)
    raised = steps["shown"][steps["steps"]["cuda:0, call"][0]]
    page = template(
        "bug.html",
        code=coloured(SOURCE),
        error=raised["message"].partition("raises ")[2],
        look=look,
        report=linked(fragment(report)),
    )
    return mount("bug", {"map": steps, "lines": {"exercise": "", **look_data(look)}}, page)


def _audited() -> Report:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "listener.py"
        path.write_text(IMPORTS + SOURCE + INPUT, encoding="utf-8")
        report = audit_file(path, NAME, device="simulated")
    findings = tuple(replace(finding, file="") for finding in report.findings)
    return replace(report, source="listener.py", findings=findings, next_step="")


def _lessons() -> Iterator[tuple[str, str, str, str]]:
    """Of each notebook: its stem, its number, its title as HTML, and its question."""
    paths = notebooks()
    first = _texts(paths[0])
    questions = {match[1]: match[2] for text in first for match in LESSON.finditer(text)}
    for path in paths:
        title = next(line[2:] for line in _texts(path)[0].splitlines() if line.startswith("# "))
        number = path.stem.partition("_")[0]
        yield path.stem, number, title, questions.get(number, "")


def _texts(notebook: Path) -> list[str]:
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown"]
