"""HTML from Jinja2 templates, which escape every value that is not markup already."""

from __future__ import annotations

from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from grader.render.parts import spans, visible


def render_template(package: str, template: str, **values: Any) -> Markup:
    """A template of a package's folder `templates`, filled in.

    Args:
        package: the package's dotted name.
        template: the file's name.
        values: what the template uses. A `str` is escaped, and loses its control characters.
    """
    return Markup(_environment(package).get_template(template).render(values))


def prose(words: str) -> Markup:
    """Words of ours or of a learner, with what stands between backticks as code."""
    return Markup("<br>").join(_line(line) for line in words.split("\n"))


@cache
def _environment(package: str) -> Environment:
    environment = Environment(
        autoescape=True,
        loader=PackageLoader(package),
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
        finalize=_without_control_characters,
    )
    environment.filters["prose"] = prose
    return environment


def _without_control_characters(value: Any) -> Any:
    return visible(value) if type(value) is str else value


def _line(line: str) -> Markup:
    if line.startswith("    "):  # a line of the learner's, quoted
        return _code(line)
    pieces = (_code(piece[1:-1]) if is_code else visible(piece) for piece, is_code in spans(line))
    return Markup("").join(pieces)


def _code(words: str) -> Markup:
    return Markup("<code>{}</code>").format(visible(words))
