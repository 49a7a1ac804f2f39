"""Judges every declared answer under many seeds, of which the inputs are drawn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any
from unittest.mock import patch

from grader.course import exercise_file, solution_file
from grader.grading.grade import grade_class
from grader.loading import class_of, execute, read_source
from grader.probe import cuda_device
from grader.schema import Rubric
from verify.variants import variants_file


def other_verdicts(rubric: Rubric, seeds: Sequence[int]) -> Iterator[tuple[str, dict[int, str]]]:
    """Each answer's name, and the verdicts that are not as declared, by their seeds.

    The answers are judged in this process, on the simulated device.

    Args:
        rubric: the exercise.
        seeds: what a check draws its inputs from, instead of a seed of the system.
    """
    for name, cls, declared in _answers(rubric):
        verdicts = {seed: _verdict(rubric, cls, seed) for seed in seeds}
        yield name, {seed: found for seed, found in verdicts.items() if found != declared}


def _verdict(rubric: Rubric, cls: type, seed: int) -> str:
    with patch("grader.grading.grade.fresh_seed", lambda: seed):
        return grade_class(rubric, cls, "simulated").verdict


def _answers(rubric: Rubric) -> Iterator[tuple[str, Any, str]]:
    """The name, the class and the verdict of each."""
    files = {"starter": exercise_file(rubric.stem), "solution": solution_file(rubric.stem)}
    for (name, path), verdict in zip(files.items(), ("not_attempted", "passed"), strict=True):
        yield name, class_of(execute(read_source(path), path), rubric.class_name), verdict
    path = variants_file(rubric.stem)
    with cuda_device("simulated"):  # some ask for it when they are imported
        declared = vars(execute(read_source(path), path))
    for name in declared["MISTAKES"]:
        yield f"mistake {name}", declared[name], "failed"
    for name in declared["ACCEPTED"]:
        yield f"accepted {name}", declared[name], "passed"
