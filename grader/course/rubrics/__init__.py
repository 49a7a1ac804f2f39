"""What each exercise asks: one file per exercise, named by its stem, holding one `RUBRIC`."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from pathlib import Path

import msgspec

from grader.schema import RUBRIC, Rubric


def load_rubric(stem: str, home: str = "") -> Rubric:
    """The rubric of one exercise, or of a variant of it that lies in a folder.

    Raises:
        ModuleNotFoundError: there is no such exercise.
        OSError, msgspec.ValidationError: the folder holds no rubric.
    """
    if home:
        written = msgspec.json.decode(Path(home, RUBRIC).read_bytes(), type=Rubric)
        return replace(written, home=home)
    rubric = import_module(f"grader.course.rubrics.{stem}").RUBRIC
    assert isinstance(rubric, Rubric)
    return rubric
