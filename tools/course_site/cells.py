"""The cells of a notebook that ask something, and what the site puts below each."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from docutils import nodes
from markupsafe import Markup
from sphinx.application import Sphinx

from course_site import exam, lines, maps, questions, records
from course_site.mounting import mount, note_sources, template
from course_site.notebook_maps import maps_of
from grader.learning.notebook.device_map.html import CELL, TREE

NOTEBOOKS = "notebooks/"
# What MyST-NB calls the parts of a cell.
SOURCE, OUTPUT = "cell_code_source", "cell_code_output"
# A cell that waits for a reader who is stuck; the mount of its exercise has the hints.
HELP = re.compile(r'(# (hint|solution)\("\w+"\)\s*)+')
# Every stored output brings the style sheet along that the site's own has once.
STYLE = re.compile(r"<style>.*?</style>\s*", re.DOTALL)
# What is written on each cell of a stored table, and the class that says it on the site.
STYLED = {TREE: 'class="wmt-tree"', CELL: 'class="wmt-td"'}


@dataclass(frozen=True)
class Call:
    """A call that ends a cell, and its mount.

    Attributes:
        pattern: the call; its groups are what `mount` takes.
        hides_code: whether the call is all that the cell does, and says nothing to a reader.
        drops_output: whether the mount stands in the place of what the cell shows.
    """

    pattern: re.Pattern[str]
    mount: Callable[..., Markup]
    hides_code: bool = True
    drops_output: bool = False


CALLS = (
    Call(re.compile(r'predict\("(\w+\.\d+)"\)'), questions.prediction),
    Call(re.compile(r'predict\("(\w+)"\)'), maps.exercise_map),
    Call(re.compile(r'check\("(\w+)", \w+\)'), lines.which_line, False, drops_output=True),
    Call(re.compile(r"exam\(\)"), exam.exam, drops_output=True),
    Call(re.compile(r'progress\((?:"\w+")?\)'), records.progress),
)


def attach(app: Sphinx, document: nodes.document) -> None:
    """Put a mount below each cell that asks something."""
    if not app.env.docname.startswith(NOTEBOOKS):
        return
    note_sources(app.env)
    _note_how_it_runs(document)
    drawn = iter(maps_of(Path(app.env.doc2path(app.env.docname))))
    for cell in list(document.findall(_is_code_cell)):
        source = _part(cell, SOURCE).astext()
        if HELP.fullmatch(source):
            cell.parent.remove(cell)
            continue
        _drop_styles(cell)
        last_line = source.rstrip().rpartition("\n")[2]
        for call in CALLS:
            if match := call.pattern.fullmatch(last_line):
                _mount(cell, call, call.mount(*match.groups()))
        if last_line.startswith("device_map("):
            _part(cell, OUTPUT).append(_raw(mount("map", next(drawn))))


def _note_how_it_runs(document: nodes.document) -> None:
    title = next(document.findall(nodes.title))
    title.parent.insert(title.parent.index(title) + 1, _raw(template("note.html")))


def _mount(cell: nodes.Element, call: Call, html: Markup) -> None:
    if call.hides_code:
        cell.remove(_part(cell, SOURCE))
    if call.drops_output:
        cell.remove(_part(cell, OUTPUT))
        cell.attributes.pop("hide_mode", None)
    cell.append(_raw(html))


def _raw(html: Markup) -> nodes.Node:
    return nodes.raw("", html, format="html")


def _is_code_cell(node: nodes.Node) -> bool:
    return isinstance(node, nodes.container) and node.get("nb_element") == "cell_code"


def _part(cell: nodes.Element, name: str) -> nodes.Element:
    """The code of a cell or its output, which may be empty."""
    parts = cell.findall(nodes.container)
    return next((part for part in parts if part.get("nb_element") == name), nodes.container())


def _drop_styles(cell: nodes.Element) -> None:
    for output in cell.findall(nodes.raw):
        text = STYLE.sub("", output.astext())
        for style, name in STYLED.items():
            text = text.replace(f'style="{style}"', name)
        output.children = [nodes.Text(text)]
