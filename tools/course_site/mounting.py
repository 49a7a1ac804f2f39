"""An element of a page that a view is mounted on, with its data."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from markupsafe import Markup
from sphinx.environment import BuildEnvironment

from grader.course.catalog import COURSE
from grader.render import render_template


def mount(view: str, data: Any = None, inside: str = "") -> Markup:
    """The element for a view.

    Args:
        view: its name in `static/mounting.js`.
        data: what it shows, as JSON.
        inside: HTML, what is seen without JavaScript; the view may use it.
    """
    # `</script>` would end the element wherever it stands, so no `<` is written.
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    data_element = Markup('<script type="application/json">{}</script>').format(Markup(text))
    element = Markup('<div class="wmt-site" data-view="{}">{}{}</div>')
    return element.format(view, data_element, Markup(inside))


def template(name: str, **values: Any) -> Markup:
    """A file of `templates/`, filled in."""
    return render_template("course_site", name, **values)


def note_sources(env: BuildEnvironment) -> None:
    """Build the page that is being read again when a question, an exercise or a view changes."""
    for path in (*COURSE.rglob("*.*"), *Path(__file__).parent.rglob("*.*")):
        env.note_dependency(str(path))
