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
from torch.nn.modules.module import register_module_forward_pre_hook

import grader
from course_site.maps import recorded
from grader.probe import Inputs, cuda_device, torch_as_it_was, twin

# What a notebook calls for its reader; here nobody is asked, judged or helped.
FOR_A_READER = ("check", "exam", "hint", "predict", "progress", "review", "solution")
DRAWS = "figures."  # a cell that draws a picture; the stored one is shown


@cache
def maps_of(notebook: Path) -> tuple[dict[str, Any], ...]:
    """What each `device_map(...)` of a notebook shows, in order; it asks first if that one does.

    A map can be called if the notebook calls a module of the same class, with the same inputs.
    """
    codes = _cells(notebook)
    drawn: list[tuple[nn.Module, bool]] = []
    called: dict[type, Inputs] = {}

    def device_map(module: nn.Module, predict: bool = False) -> None:
        drawn.append((twin(module), predict))

    def note_call(module: nn.Module, args: tuple[Any, ...]) -> None:
        called.setdefault(type(module), Inputs(args))

    with _quiet(), torch_as_it_was(), cuda_device("simulated"):
        with _replaced(device_map), register_module_forward_pre_hook(note_call):
            shared: dict[str, Any] = {"__name__": "__main__"}
            for code in codes:
                exec(compile(code, str(notebook), "exec"), shared)
        return tuple(recorded(each, called.get(type(each)), asks) for each, asks in drawn)


def _cells(notebook: Path) -> list[str]:
    """The code of a notebook that has a map, without what only draws."""
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    codes = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    has_map = any("device_map(" in code for code in codes)
    return [code for code in codes if has_map and DRAWS not in code]


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
