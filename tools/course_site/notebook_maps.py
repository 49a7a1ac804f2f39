"""The device maps that a notebook draws: its code runs while the site is built."""

from __future__ import annotations

import io
import json
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import patch

from torch import nn

import grader
from course_site.maps import recorded
from grader.probe import cuda_device, torch_as_it_was

# What a notebook calls for its reader; here nobody is asked, judged or helped.
FOR_A_READER = ("check", "exam", "hint", "predict", "progress", "review", "solution")
DRAWS = "figures."  # a cell that draws a picture; the stored one is shown


@cache
def maps_of(notebook: Path) -> tuple[dict[str, Any], ...]:
    """What each `device_map(...)` of a notebook shows, in order; it asks first if that one does."""
    found: list[dict[str, Any]] = []

    def device_map(module: nn.Module, predict: bool = False) -> None:
        found.append(recorded(module, asks=predict))

    with _quiet(), torch_as_it_was(), cuda_device("simulated"), _replaced(device_map):
        shared: dict[str, Any] = {"__name__": "__main__"}
        for code in _cells(notebook):
            exec(compile(code, str(notebook), "exec"), shared)
    return tuple(found)


def _cells(notebook: Path) -> Iterator[str]:
    """The code of a notebook as far as its last map, without what only draws."""
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    codes = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    last = max((n for n, code in enumerate(codes) if "device_map(" in code), default=-1)
    yield from (code for code in codes[: last + 1] if DRAWS not in code)


@contextmanager
def _replaced(device_map: Any) -> Iterator[None]:
    nothing = dict.fromkeys(FOR_A_READER, lambda *_, **__: None)
    with patch.dict(vars(grader), {"device_map": device_map, **nothing}):
        yield


@contextmanager
def _quiet() -> Iterator[None]:
    with warnings.catch_warnings(), redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        warnings.simplefilter("ignore")
        yield
