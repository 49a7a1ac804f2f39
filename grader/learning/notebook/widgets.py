"""Buttons beside an output: there while the notebook is live, and never stored or compared.

The keyboard alone can use them: in JupyterLab, their keys would otherwise run and move cells.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from importlib.util import find_spec
from typing import Any

import anywidget

from grader.learning.notebook.display import is_dropped, running_shell

VIEW = "application/vnd.jupyter.widget-view+json"


def has_widgets() -> bool:
    """Whether this is a notebook's kernel, and what draws widgets is installed."""
    return is_notebook() and bool(find_spec("anywidget"))  # which needs ipywidgets itself


def is_notebook() -> bool:
    """Whether this is a notebook's kernel."""
    return getattr(running_shell(), "kernel", None) is not None


def script(view: Traversable) -> str:
    """The JavaScript of a widget, after what all widgets share: anywidget takes one text."""
    shared = files("grader.learning.notebook").joinpath("elements.js")
    return shared.read_text(encoding="utf-8") + view.read_text(encoding="utf-8")


def show_widget(widget: Any) -> None:
    """Show a widget as an output of its own, without a text for where widgets do not work.

    What matters is said by another output. So nbval, which leaves widgets out, compares the same
    outputs with and without them, and a page that nbconvert made has no empty place.
    """
    show_bundle({VIEW: {"version_major": 2, "version_minor": 0, "model_id": widget.model_id}})


def show_buttons(box: Any) -> None:
    """Show buttons as an output of their own, which the keyboard alone can use."""
    capture_keys(box)
    show_widget(box)


def show_bundle(forms: dict[str, Any], name: str = "", update: bool = False) -> None:
    """Show one thing in several forms; the page takes the best that it can.

    Args:
        forms: by their MIME type.
        name: by which it can be replaced later; `""` if it stays.
        update: whether it takes the place of what was shown by that name.
    """
    transient = {"display_id": name} if name else None
    running_shell().display_pub.publish(forms, transient=transient, update=update)


def show_below(value: Any, make: Callable[[], Any]) -> None:
    """Show buttons below `value`: at once where it is shown at once, else after the cell."""
    if is_dropped():
        show_buttons(make())
        return
    shell = running_shell()

    def after(result: Any) -> None:
        shell.events.unregister("post_run_cell", after)
        if result.result is value:
            show_buttons(make())

    shell.events.register("post_run_cell", after)


class KeyboardCapture(anywidget.AnyWidget):
    """Never shown: it watches the page for what is marked."""

    _esm = files("grader.learning.notebook").joinpath("own_keys.js").read_text(encoding="utf-8")


@cache
def _watch() -> KeyboardCapture:
    return KeyboardCapture()


def capture_keys(box: Any) -> None:
    """Leave to a box, and to all that is in it, the keys that are pressed there."""
    _watch()
    box.add_class("wmt-own-keys")
