"""The device map as a table: what a notebook shows where widgets do not run, and what prints."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from markupsafe import Markup

from grader.learning.notebook.device_map.history import MapStep
from grader.learning.notebook.device_map.lines import (
    LEGEND,
    described,
    line,
    look,
    mark,
    static,
    summary,
)
from grader.learning.notebook.device_map.picture import Branch, Picture
from grader.render import render_template

COLUMNS = ("tensor", "device", "shape", "dtype", "what it is")
# JupyterLab drops the style sheet of a stored output, and keeps what is written on an element.
CELL = "text-align:left;vertical-align:top;padding:0 .8rem 0 0;line-height:1.7"
TREE = f"{CELL};white-space:pre;font-family:monospace"


@cache
def colours() -> str:
    """The style sheet that the table and the widget share."""
    return files(__package__).joinpath("colours.css").read_text(encoding="utf-8")


def to_html(picture: Picture, below: str = LEGEND, answer: MapStep | None = None) -> str:
    """The map as one self-contained piece of HTML.

    Args:
        picture: what it shows.
        below: the line below the table.
        answer: what a move does, folded away until its reader opens it.
    """
    page = render_template(
        "grader.learning.notebook.device_map",
        "map.html",
        colours=Markup(colours()),
        form=static(picture),
        answer=answer,
        after=static(answer.picture) if answer else None,
        columns=COLUMNS,
        below=below,
        cell=CELL,
        tree=TREE,
        is_branch=lambda row: isinstance(row, Branch),
        described=described,
        line=line,
        look=look,
        mark=mark,
        summary=summary,
    )
    return str(page)
