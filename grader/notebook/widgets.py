"""Buttons beside an output: there while the notebook is live, and never stored or compared."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

from grader.notebook.display import running_shell

VIEW = "application/vnd.jupyter.widget-view+json"


def has_widgets() -> bool:
    """Whether this is a notebook's kernel, and ipywidgets is installed."""
    return getattr(running_shell(), "kernel", None) is not None and bool(find_spec("ipywidgets"))


def show_widget(widget: Any) -> None:
    """Show a widget as an output of its own, without a text for where widgets do not work.

    What matters is said by another output. So nbval, which leaves widgets out, compares the same
    outputs with and without them, and a page that nbconvert made has no empty place.
    """
    show_bundle({VIEW: widget._repr_mimebundle_()[VIEW]})


def show_bundle(forms: dict[str, Any]) -> None:
    """Show one thing in several forms; the page takes the best that it can."""
    running_shell().display_pub.publish(forms)


def show_below(value: Any, make: Callable[[], Any]) -> None:
    """Show a widget below the cell that is running, if `value` is what the cell shows."""
    shell = running_shell()

    def after(result: Any) -> None:
        shell.events.unregister("post_run_cell", after)
        if result.result is value:
            show_widget(make())

    shell.events.register("post_run_cell", after)
