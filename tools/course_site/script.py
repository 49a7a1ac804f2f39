"""The site's one script and its one style sheet, joined from the notebooks' and its own."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

from grader.course import all_questions, notebook_of
from grader.learning.notebook.device_map.html import colours
from grader.render import STYLE

STATIC = Path(__file__).parent / "static"
NOTEBOOK = files("grader.learning.notebook")
# By the name that the site's script calls it: a notebook's view.
VIEWS = {"questionView": "quiz.js", "mapView": "device_map/view.js"}
# In the order of their use.
OWN = (
    "model",
    "journal",
    "questions",
    "puzzles",
    "lines",
    "maps",
    "front",
    "exam",
    "progress",
    "mounting",
)
EXPORT = "export default { render };\n"


def javascript() -> str:
    """The views, each in a function of its own, and what mounts them.

    A page that is opened from a folder may load a script and no module, so the views' one export
    becomes what their function returns.
    """
    views = [_as_value(name, file) for name, file in VIEWS.items()]
    own = [_read(f"{name}.js") for name in OWN]
    shared = NOTEBOOK.joinpath("elements.js").read_text(encoding="utf-8")
    constants = f"const COURSE = {json.dumps(course())};"
    return "\n".join(["(() => {", constants, shared, *views, *own, "})();", ""])


def style() -> str:
    shared = [STYLE, colours()]
    shared += [
        NOTEBOOK.joinpath(name).read_text(encoding="utf-8")
        for name in ("quiz.css", "device_map/view.css")
    ]
    return "\n".join([*shared, _read("course.css")])


def course() -> dict[str, object]:
    """What every page knows: where each question is asked, as `{"03.1": "03_member_tensors"}`."""
    return {"pages": {each.key: notebook_of(each.key) for each in all_questions()}}


def _as_value(name: str, file: str) -> str:
    text = NOTEBOOK.joinpath(file).read_text(encoding="utf-8")
    if text.count(EXPORT) != 1:
        raise ValueError(f"{file} must export its render function once: {EXPORT.strip()}")
    return f"const {name} = (() => {{\n{text.replace(EXPORT, '')}\nreturn {{ render }};\n}})();"


def _read(name: str) -> str:
    return (STATIC / name).read_text(encoding="utf-8")
