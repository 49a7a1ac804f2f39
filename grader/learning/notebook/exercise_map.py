"""The device map of an exercise's starter, on which a learner predicts what will stay behind."""

from __future__ import annotations

from typing import Any

from grader.course import exercise_file, starter
from grader.learning.notebook.device_map import DeviceMap
from grader.loading import class_of, execute
from grader.schema import Rubric


def starter_map(rubric: Rubric) -> DeviceMap:
    """The map of a module that the starter's class makes, built as the grader builds it."""
    code = execute(starter(rubric.stem), exercise_file(rubric.stem))
    make: Any = class_of(code, rubric.class_name)
    return DeviceMap(make(**rubric.recipe.arguments), predict=True)
