"""What keeps a page light: it is read on a phone, and loads in one go.

Spans whose colour is the text's own, comments, and the colours of terminals are left out, and the
table of contents of a lesson is one level deep.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.resources import files
from typing import Any

from furo.navigation import get_navigation_tree
from markupsafe import Markup
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers.python import PythonLexer
from pygments.token import Name, Operator, Punctuation, Whitespace
from sphinx.application import Sphinx
from sphinx.highlighting import PygmentsBridge

COLOURLESS = (Name, Operator, Punctuation, Whitespace)
TAG = re.compile("<[^>]*>")
COMMENT = re.compile(r"/\*.*?\*/\s*", re.DOTALL)
TERMINAL = re.compile(r"[^{};]*\.-Color[^{}]*\{[^{}]*\}")
MYST_NB = "mystnb"
CAPTION = 'role="heading"'  # Sphinx's, which gives a heading no level


def setup(app: Sphinx) -> None:
    PygmentsBridge.html_formatter = CodeFormatter
    app.connect("html-page-context", _lighten, priority=900)  # after the theme's own


class CodeFormatter(HtmlFormatter):  # type: ignore[misc]
    """A line is a block of its own: one that is wrapped goes on further in than it begins."""

    def _get_css_class(self, ttype: Any) -> str:
        return "" if ttype in COLOURLESS else str(super()._get_css_class(ttype))

    def _format_lines(self, tokens: Any) -> Iterator[tuple[int, str]]:
        for is_code, line in super()._format_lines(tokens):
            text = TAG.sub("", line)
            indent = len(text) - len(text.lstrip(" "))
            yield is_code, f'<span class="hang" style="--in:{indent}">{line}</span>'


def coloured(code: str) -> Markup:
    """Python code as HTML, for a `pre`."""
    return Markup(highlight(code, PythonLexer(), CodeFormatter(nowrap=True)))


def _lighten(_: Sphinx, page: str, __: str, context: dict[str, Any], ___: object) -> None:
    styles = context["css_files"]
    context["css_files"] = [each for each in styles if MYST_NB not in str(each.filename)]
    if page.startswith("notebooks/"):
        tree = context["toctree"](titles_only=True, maxdepth=1, includehidden=True)
        context["furo_navigation_tree"] = get_navigation_tree(tree)
    contents = context.get("furo_navigation_tree", "")
    context["furo_navigation_tree"] = contents.replace(CAPTION, f'{CAPTION} aria-level="2"')


def notebook_style() -> str:
    """MyST-NB's style sheet, which `course.css` has the rest of."""
    return files("myst_nb.static").joinpath("mystnb.css").read_text(encoding="utf-8")


def lean_style(text: str) -> str:
    """A style sheet without comments, and without the colours of terminals."""
    return TERMINAL.sub("", COMMENT.sub("", text))


def lean_script(text: str) -> str:
    """A script without indentation and the comments that fill a line."""
    lines = (line.strip() for line in text.splitlines())
    return "\n".join(line for line in lines if line and not line.startswith("//"))
