"""A report for a notebook or a page, in the colours of the theme it is read in."""

from __future__ import annotations

from markupsafe import Markup

from grader.render import parts
from grader.render.templating import render_template
from grader.schema import Report

STYLE = Markup("""
.wmt { font-family: var(--jp-ui-font-family, system-ui, sans-serif); line-height: 1.5;
  color: var(--jp-content-font-color1, inherit); max-width: 60rem;
  border-left: 4px solid; padding: .2rem .9rem;
  --good: #1a7f37; --bad: #b42318; --doubt: #8a5a00; }
@media (prefers-color-scheme: dark) { .wmt { --good: #4ac26b; --bad: #ff8a80; --doubt: #e0b341; } }
[data-jp-theme-light="true"] .wmt { --good: #1a7f37; --bad: #b42318; --doubt: #8a5a00; }
[data-jp-theme-light="false"] .wmt { --good: #4ac26b; --bad: #ff8a80; --doubt: #e0b341; }
.wmt.good { border-color: var(--good); } .wmt.bad { border-color: var(--bad); }
.wmt.doubt { border-color: var(--doubt); } .wmt.open { border-color: #808080; }
.wmt .good { color: var(--good); } .wmt .bad { color: var(--bad); }
.wmt .doubt { color: var(--doubt); } .wmt .open { opacity: .75; }
.wmt b.head { font-size: 1.1em; } .wmt .quiet { opacity: .75; }
.wmt table { border-collapse: collapse; margin: .4rem 0; }
.wmt td { padding: .1rem .8rem .1rem 0; }
.wmt .finding { margin: .5rem 0; } .wmt p { margin: .2rem 0; }
.wmt code { font-family: var(--jp-code-font-family, monospace); font-size: .92em;
  white-space: pre-wrap; }
""")
# JupyterLab drops the style sheet of an output that it finds stored, and would align its cells to
# the right; it keeps what is written on an element.
CELL = "text-align:left;vertical-align:top"


def to_html(report: Report) -> str:
    """The report as one self-contained piece of HTML, for a cell, whose `!` runs a command."""
    return f"<style>{STYLE}</style>\n{fragment(report, shell='!')}"


def fragment(report: Report, shell: str = "") -> Markup:
    """The same without its style, for a page that holds several.

    Args:
        report: what it shows.
        shell: what stands before a command where it is read.
    """
    return render_template(
        "grader.render", "report.html", report=report, parts=parts, shell=shell, cell=CELL
    )
