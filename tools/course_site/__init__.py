"""The site is the course: a Sphinx extension that lets a page ask, judge and remember.

`cells` finds the calls of a notebook that ask something, such as `predict("03.1")`. Each gets a
mount: an element with what its view shows, as JSON, from the same Python that the notebooks use.
`script` joins the notebooks' own views and `static/*.js`, which mount them, to one file that needs
neither a network nor a kernel.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

from course_site import cells, front, puzzles, records, script, weight


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("builder-inited", _write_assets)
    app.connect("source-read", _number)
    app.connect("doctree-read", cells.attach)
    weight.setup(app)
    app.add_directive("bug", front.Bug)
    app.add_directive("lessons", front.Lessons)
    app.add_directive("progress", records.Progress)
    app.add_directive("puzzles", puzzles.Puzzles)
    app.add_js_file("course.js", loading_method="defer")
    app.add_css_file("course.css")
    return {"parallel_read_safe": True}


def _write_assets(app: Sphinx) -> None:
    folder = Path(app.doctreedir) / "course_site"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "course.js").write_text(weight.lean_script(script.javascript()), encoding="utf-8")
    style = weight.lean_style(weight.notebook_style() + script.style())
    (folder / "course.css").write_text(style, encoding="utf-8")
    app.config.html_static_path.append(str(folder))


def _number(_: Sphinx, page: str, source: list[str]) -> None:
    """Put the number of a lesson before its title, on its page and wherever that is listed."""
    if not page.startswith(cells.NOTEBOOKS):
        return
    notebook = json.loads(source[0])
    number = page.removeprefix(cells.NOTEBOOKS).partition("_")[0]
    title = next(cell for cell in notebook["cells"] if cell["cell_type"] == "markdown")
    title["source"] = "".join(title["source"]).replace("# ", f"# {number} ", 1)
    source[0] = json.dumps(notebook)
