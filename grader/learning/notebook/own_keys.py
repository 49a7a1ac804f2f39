"""Lets the keyboard alone use buttons: in JupyterLab, their keys would run and move cells."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any

import anywidget


class OwnKeys(anywidget.AnyWidget):
    """Never shown: it watches the page for what is marked."""

    _esm = files("grader.learning.notebook").joinpath("own_keys.js").read_text(encoding="utf-8")


@cache
def _watch() -> OwnKeys:
    return OwnKeys()


def keep_keys(box: Any) -> None:
    """Leave to a box, and to all that is in it, the keys that are pressed there."""
    _watch()
    box.add_class("wmt-own-keys")
