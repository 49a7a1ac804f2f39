"""The exam in the page: the whole pool, from which the script draws as Python does."""

from __future__ import annotations

from typing import Any

from markupsafe import Markup

from course_site.mounting import mount, template
from grader.course import TEN, THREE, Module, pool
from grader.course.exam.drawing import DRAWN, FIXED
from grader.learning.notebook.quiz import Asked, view_data
from grader.render import prose


def exam() -> Markup:
    """The mount of `exam()`."""
    data = {
        "drawn": DRAWN,
        "fixed": FIXED,
        **_shared(),
        "modules": [_module(module) for module in pool()],
    }
    return mount("exam", data, template("exam.html", ten=TEN, three=THREE, pool=len(pool())))


def _shared() -> dict[str, Any]:
    """What is asked of every module, and the answers that name no line."""
    module = pool()[0]
    view = view_data(Asked(module.question(), ""))
    options = [option for option in view["options"] if "raises on line" not in str(option)]
    return {"text": view["text"], "options": options, "locks": view["locks"]}


def _module(module: Module) -> dict[str, Any]:
    view = view_data(Asked(module.question(), "", with_code=True))
    asked = {key: view[key] for key in ("number", "code")}
    told = {"truth": module.truth.outcome, "why": prose(module.why), "bug": module.truth.code}
    return {**asked, **told, "outcomes": module.outcomes, "kind": module.kind}
