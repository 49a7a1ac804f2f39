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
    shared = view_data(Asking(pool()[0], with_code=True))
    modules = [_module(module, shared) for module in pool()]
    data = {"drawn": DRAWN, "fixed": FIXED, "shared": shared, "modules": modules}
    return mount("exam", data, template("exam.html", ten=TEN, three=THREE, pool=len(pool())))


def _module(module: Item, shared: dict[str, Any]) -> dict[str, Any]:
    """A module; of its view, what differs from the shared one."""
    why = prose(module.choice(module.right).why)
    told = {"right": module.right, "why": why, "bug": module.finding, "kind": module.behaviour}
    view = view_data(Asking(module, with_code=True))
    own = {name: part for name, part in view.items() if part != shared[name]}
    return {"view": {"number": module.key} | own, **told}
