"""The device map as a table: what a notebook shows where widgets do not run, and what prints."""

from __future__ import annotations

from functools import cache
from html import escape
from importlib.resources import files

from grader.notebook.device_map.lines import Line, described, static, summary
from grader.notebook.device_map.picture import Branch, Leaf, Picture
from grader.notebook.device_map.signs import LEGEND, letter, line, look, sign

COLUMNS = ("tensor", "device", "shape", "dtype", "what it is")
# JupyterLab drops the style sheet of a stored output, and keeps what is written on an element.
CELL = "text-align:left;vertical-align:top;padding:0 .8rem 0 0;line-height:1.7"
TREE = f"{CELL};white-space:pre;font-family:monospace"


@cache
def colours() -> str:
    """The style sheet that the table and the widget share."""
    return files(__package__).joinpath("colours.css").read_text(encoding="utf-8")


def to_html(picture: Picture) -> str:
    """The map as one self-contained piece of HTML."""
    form = static(picture)
    heads = "".join(f'<th scope="col" style="{CELL}">{each}</th>' for each in COLUMNS)
    omitted = f"<p>{escape(form.omitted)}</p>\n" if form.omitted else ""
    return (
        f"<style>{colours()}</style>\n"
        f'<div class="wmt-map" role="region" aria-label="Device map">\n'
        f"<b>{escape(form.heading)}</b>\n"
        f"<table><thead><tr>{heads}</tr></thead><tbody>\n"
        f"{''.join(_line(each) for each in form.lines)}"
        f"</tbody></table>\n{omitted}<p>{escape(LEGEND)}</p>\n</div>"
    )


def _line(each: Line) -> str:
    row = each.row
    rails = f'<span aria-hidden="true">{each.rails}</span>'
    if isinstance(row, Branch):
        return _branch(row, rails)
    cells = (
        f'<td style="{TREE}">{rails}{sign(row.registered)} {escape(row.name)}</td>',
        f'<td style="{CELL}">{_device(row)}</td>',
        *(
            f'<td style="{CELL}">{escape(text)}</td>'
            for text in (row.shape, row.dtype, described(row))
        ),
    )
    stray = "" if row.registered else ' class="stray"'
    return f"<tr{stray}>{''.join(cells)}</tr>\n"


def _branch(branch: Branch, rails: str) -> str:
    words = branch.note or summary(branch)
    stray = "" if branch.registered else "not registered, "
    return (
        f'<tr><td style="{TREE}">{rails}{escape(branch.name)}: {escape(branch.type)}</td>'
        f'<td style="{CELL}" colspan="4">{escape(stray + words)}</td></tr>\n'
    )


def _device(leaf: Leaf) -> str:
    border = f"border:2px {line(leaf.device)}"
    name = f"{letter(leaf.device)} {leaf.device}"
    return f'<span class="device {look(leaf.device)}" style="{border}">{escape(name)}</span>'
