"""The cells of a notebook that ask something, and what the site puts below each."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from docutils import nodes
from markupsafe import Markup
from sphinx.application import Sphinx

from course_site import exam, lines, maps, questions, records

NOTEBOOKS = "notebooks/"
# A cell that waits for a reader who is stuck; the mount of its exercise has the hints.
HELP = re.compile(r'(# (hint|solution)\("\w+"\)\s*)+')
# Every stored output brings the style sheet along that the site's own has once.
STYLE = re.compile(r"<style>.*?</style>\s*", re.DOTALL)


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
    Call(re.compile(r"progress\(\)"), records.progress),
)


def attach(app: Sphinx, document: nodes.document) -> None:
    """Put a mount below each cell that asks something."""
    if not app.env.docname.startswith(NOTEBOOKS):
        return
    for cell in list(document.findall(_is_code_cell)):
        source = _source(cell)
        if HELP.fullmatch(source):
            cell.parent.remove(cell)
            continue
        _drop_styles(cell)
        last_line = source.rstrip().rpartition("\n")[2]
        for call in CALLS:
            if match := call.pattern.fullmatch(last_line):
                _mount(cell, call, call.mount(*match.groups()))


def _mount(cell: nodes.Element, call: Call, html: Markup) -> None:
    parts = {part.get("nb_element"): part for part in cell.findall(nodes.container)}
    if call.hides_code:
        cell.remove(parts["cell_code_source"])
    if call.drops_output and "cell_code_output" in parts:
        cell.remove(parts["cell_code_output"])
        cell.attributes.pop("hide_mode", None)
    cell["classes"].append("wmt-cell")
    cell += nodes.raw("", html, format="html")


def _is_code_cell(node: nodes.Node) -> bool:
    return isinstance(node, nodes.container) and node.get("nb_element") == "cell_code"


def _source(cell: nodes.Element) -> str:
    for part in cell.findall(nodes.container):
        if part.get("nb_element") == "cell_code_source":
            return str(part.astext())
    return ""


def _drop_styles(cell: nodes.Element) -> None:
    for output in cell.findall(nodes.raw):
        output.children = [nodes.Text(STYLE.sub("", output.astext()))]
