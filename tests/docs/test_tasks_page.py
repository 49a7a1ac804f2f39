"""docs/tasks.md names, for each sentence of a task, a wrong answer that is declared."""

import re
from pathlib import Path

import pytest

from grader.course.catalog import all_rubrics
from grader.loading import execute, read_source

ROOT = Path(__file__).parents[2]
ROW = re.compile(r"^\| (\w*) *\| [^|]+ \| [^|]+ \| ([^|]+) \|$", re.MULTILINE)


def rows():
    """The cells "held by" of each exercise, by its number."""
    held: dict[str, list[str]] = {}
    number = ""
    table = (
        (ROOT / "docs" / "tasks.md").read_text(encoding="utf-8").partition("## The exercises")[2]
    )
    for found, cell in ROW.findall(table):
        number = found or number
        held.setdefault(number, []).append(cell)
    held.pop("Exercise")
    return held


def test_every_exercise_is_on_the_page():
    assert list(rows()) == [rubric.number for rubric in all_rubrics()]


@pytest.mark.parametrize("rubric", all_rubrics(), ids=lambda rubric: rubric.stem)
def test_each_sentence_is_held_by_a_declared_mistake(rubric):
    path = ROOT / "tests" / "variants" / f"{rubric.stem}.py"
    declared = vars(execute(read_source(path), path))["MISTAKES"]
    for cell in rows()[rubric.number]:
        names = set(re.findall(r"`(\w+)`", cell))
        assert names <= set(declared), cell
        assert names or "tests/" in cell or "mutants" in cell, cell
