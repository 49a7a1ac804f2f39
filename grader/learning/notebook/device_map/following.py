"""Looks at each map's module again whenever a cell has run."""

from __future__ import annotations

from typing import Any

from grader.learning.notebook.device_map.session import DeviceMap

MOST_MAPS = 20
_maps: list[DeviceMap] = []
_shells: set[int] = set()


def follow(device_map: DeviceMap, shell: Any) -> None:
    """Keep a map up to date from cell to cell; the newest ones, if a notebook makes many."""
    _maps.append(device_map)
    del _maps[:-MOST_MAPS]
    if id(shell) not in _shells:
        _shells.add(id(shell))
        shell.events.register("post_run_cell", _after_cell)


def _after_cell(result: Any) -> None:
    number = result.execution_count
    cell = f"cell {number}" if number else "the last cell"
    _maps[:] = [shown for shown in _maps if shown.is_followed]
    for shown in _maps:
        shown.look_again(cell)
