"""The device map as a widget. Python says what there is to see; `view.js` draws it."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

import anywidget
import traitlets

from grader.learning.notebook.device_map.history import TARGET
from grader.learning.notebook.device_map.html import colours
from grader.learning.notebook.device_map.lines import (
    DEVICES,
    LEGEND,
    described,
    heading,
    line,
    look,
    mark,
    summary,
)
from grader.learning.notebook.device_map.picture import Leaf, Row
from grader.learning.notebook.widgets import script

STAYS = "stays"  # beside the box to tick
_FOLDER = files("grader.learning.notebook.device_map")


class View(anywidget.AnyWidget):
    """Shows a map and passes on what its reader asks for.

    Args:
        device_map: a `DeviceMap`, which makes its view, so its file cannot be imported here.

    Attributes:
        view: all that is to be seen; it changes at once or not at all.
    """

    _esm = script(_FOLDER.joinpath("view.js"))
    _css = colours() + _FOLDER.joinpath("view.css").read_text(encoding="utf-8")
    view = traitlets.Dict().tag(sync=True)

    def __init__(self, device_map: Any) -> None:
        super().__init__(view=view_data(device_map))
        self._map = device_map
        device_map.changed = self._refresh
        self.on_msg(self._on_message)

    def _refresh(self) -> None:
        self.view = view_data(self._map)

    def _on_message(self, _: object, message: dict[str, Any], __: object) -> None:
        match message:
            case {"move": str(device)} if device in DEVICES:
                self._map.move(device)
            case {"pick": str(path)}:
                self._map.pick(path)
            case {"start_over": True}:
                self._map.start_over()


def view_data(device_map: Any) -> dict[str, Any]:
    """All that is to be seen of a map, as JSON."""
    picture, guess, changes = device_map.picture, device_map.guess, device_map.step.changes
    return {
        "heading": heading(picture),
        "message": device_map.message,
        "guessing": guess is not None,
        "devices": DEVICES if guess is None else (TARGET,),
        "legend": LEGEND if guess is None else "",
        "given_up": list(picture.given_up),
        "rows": [_row(row, changes.get(row.path, ""), guess) for row in picture.rows],
    }


def _row(row: Row, change: str, guess: frozenset[str] | None) -> dict[str, Any]:
    shared = {"path": row.path, "level": row.level, "name": row.name, "registered": row.registered}
    if isinstance(row, Leaf):
        asked = {} if guess is None else {"picked": row.path in guess, "change": STAYS}
        leaf = {
            "sign": mark(row),
            "badges": [_badge(row.device)],
            "shape": row.shape,
            "dtype": row.dtype,
            "words": described(row),
            "change": change,
        }
        return shared | leaf | asked
    return shared | {
        "type": row.type,
        "badges": [_badge(device) | {"number": number} for device, number in row.devices],
        "summary": summary(row) if row.devices else "",
        "words": row.note if row.registered else "not registered",
    }


def _badge(device: str) -> dict[str, Any]:
    return {
        "device": device,
        "line": line(device),
        "look": look(device),
    }
