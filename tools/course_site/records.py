"""What a reader did on the site: where it is summed up and forgotten."""

from __future__ import annotations

from docutils import nodes
from markupsafe import Markup
from sphinx.util.docutils import SphinxDirective

from course_site.mounting import mount, template


class Progress(SphinxDirective):
    """`{progress}`: the same on a page."""

    def run(self) -> list[nodes.Node]:
        return [nodes.raw("", progress(), format="html")]


def progress() -> Markup:
    """The mount of `progress()`."""
    return mount("progress", inside=template("progress.html"))
