"""The exam in the page: the whole pool, from which the script draws as Python does."""

from __future__ import annotations

from typing import Any

from markupsafe import Markup

from course_site.mounting import mount, template
from grader.course import TEN, THREE, Item, pool
from grader.course.items.drawing import DRAWN, FIXED
from grader.learning.notebook.quiz import Asking, view_data
from grader.render import prose


def exam() -> Markup:
    """The mount of `exam()`."""
    data = {"drawn": DRAWN, "fixed": FIXED, "modules": [_module(module) for module in pool()]}
    return mount("exam", data, template("exam.html", ten=TEN, three=THREE, pool=len(pool())))


def _module(module: Item) -> dict[str, Any]:
    why = prose(module.choice(module.right).why)
    told = {"right": module.right, "why": why, "bug": module.finding, "kind": module.behaviour}
    return {"view": view_data(Asking(module, with_code=True)), **told}
