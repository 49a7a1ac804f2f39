"""The facts of the course: each is taught by a cell, asked in a prediction, graded by an exercise.

The tags of the notebooks' cells say where: `F20` on a cell that shows it, `asks:F20` on the cell of
a prediction, `grades:F20` on the cell that checks an exercise. `pytest -s tests/docs/test_facts.py`
prints the table.
"""

import json
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FACTS = [f"F{number:02}" for number in range(1, 54)]
WAYS = ("taught", "asked", "graded")
TAG = re.compile(r"(asks:|grades:|)(F\d\d)")
CALL = {
    "asked": re.compile(r'^predict\("([\w.]+)"\)', re.MULTILINE),
    "graded": re.compile(r'^check\("(\w+)", \w+\)$', re.MULTILINE),
}

Places = dict[str, dict[str, list[str]]]


def tagged() -> Iterator[tuple[str, str, str, str]]:
    """For each tag: its fact, its way, the notebook's number, and the cell's source."""
    for path in sorted((ROOT / "notebooks").glob("[0-9]*.ipynb")):
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            for tag in cell["metadata"].get("tags", []):
                if match := TAG.fullmatch(tag):
                    way = {"asks:": "asked", "grades:": "graded"}.get(match[1], "taught")
                    yield match[2], way, path.stem.split("_")[0], "".join(cell["source"])


@pytest.fixture(scope="module")
def places() -> Places:
    """For each fact and way: the notebooks, questions or exercises."""
    found: Places = {fact: defaultdict(list) for fact in FACTS}
    for fact, way, notebook, source in tagged():
        match = CALL[way].search(source) if way in CALL else None
        name = match[1] if match else notebook
        if name not in found[fact][way]:
            found[fact][way].append(name)
    return found


def test_the_table_has_no_hole(places: Places) -> None:
    print(f"\n{'fact':<6}{'taught in':<16}{'asked in':<26}graded by")
    for fact, ways in places.items():
        taught, asked, graded = (" ".join(ways[way]) for way in WAYS)
        print(f"{fact:<6}{taught:<16}{asked:<26}{graded}")
    holes = [f"{fact} is not {way}" for fact in FACTS for way in WAYS if not places[fact][way]]
    assert not holes


def test_a_tag_of_a_question_or_an_exercise_is_on_its_cell() -> None:
    for fact, way, notebook, source in tagged():
        if way in CALL:
            assert CALL[way].search(source), f"{fact} {way}, notebook {notebook}"
