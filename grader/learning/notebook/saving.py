"""A part of JupyterLab's server, which `grader lab` adds: buttons are not saved with a notebook.

On another day their kernel is gone, and JupyterLab would show an error in the place of each.
"""

from __future__ import annotations

from typing import Any

from grader.learning.notebook.widgets import VIEW


def _jupyter_server_extension_points() -> list[dict[str, str]]:
    return [{"module": __name__}]


def _load_jupyter_server_extension(server: Any) -> None:
    server.contents_manager.register_pre_save_hook(leave_buttons_out)


def leave_buttons_out(model: dict[str, Any], **_: Any) -> None:
    """Drop each output that is nothing but a widget from a notebook that is about to be saved."""
    if model["type"] != "notebook":
        return
    for cell in model["content"]["cells"]:
        if outputs := cell.get("outputs"):
            cell["outputs"] = [
                output for output in outputs if set(output.get("data", ())) != {VIEW}
            ]
