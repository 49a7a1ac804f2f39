"""One method of an exercise, judged before the others are written."""

from __future__ import annotations

from dataclasses import replace
from types import FunctionType
from typing import Any

from grader.course import solution_file
from grader.grading import grade_class
from grader.learning.help import solution_code
from grader.loading import class_of, execute
from grader.schema import Report, Rubric


def class_of_method(answer: Any) -> Any:
    """The class of a method that a cell defines; anything else as it is."""
    if not isinstance(answer, FunctionType):
        return answer
    cls = answer.__globals__.get(answer.__qualname__.partition(".")[0])
    return cls if isinstance(cls, type) else answer


def grade_method(rubric: Rubric, cls: type, method: FunctionType) -> Report:
    """The report on a class that is lent, while it is judged, what it lacks of the solution's.

    A pass has no points, since it is none of the exercise.
    """
    whole = class_of(execute(solution_code(rubric), solution_file(rubric.stem)), rubric.class_name)
    has = {name for base in cls.__mro__ for name in vars(base)}
    lent = {name: value for name, value in vars(whole).items() if name not in has}
    for name, value in lent.items():
        setattr(cls, name, value)
    try:
        report = grade_class(rubric, cls)
    finally:
        for name in lent:
            delattr(cls, name)
    report = replace(report, title=f"{report.title}: {method.__name__}")
    if report.verdict != "passed":
        return report
    right = f"`{method.__name__}` is right. Go on with the next cell."
    return replace(report, checks=(), score=0, next_step=right, notes=())
