"""What a learner has of an assignment: a check of structure and placement, and nothing to copy."""

import re
import shutil
import stat
import sys

import pytest

from grader.classroom.assignments.copy import YOURS
from grader.classroom.assignments.folder import (
    AssignmentError,
    new_assignment,
    private_rubric,
    read_assignment,
)
from grader.course.catalog import solution_of
from grader.course.templates.variant import VISIBLE

STEM = "04_parameter_or_buffer"
PEOPLE = [("Ada Lovelace", "4711"), ("Grace Hopper", ""), ("../../etc", "12"), ("x" * 240, "13")]


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "assignment"


def test_the_learners_copy_holds_no_solution(folder):
    drawn = new_assignment(["04"], 7, folder)
    solution = solution_of(private_rubric(folder, drawn, STEM, *drawn.variants)).read_text(
        encoding="utf-8"
    )

    handed_out = sorted((folder / "hand_out" / STEM).iterdir())

    names = [path.name for path in handed_out]
    assert names == ["04_parameter_or_buffer.py", "starter.py", "variant.json"]
    _, _, constructor = solution.partition("super().__init__()\n")
    constructor, _, _ = constructor.partition("def forward")
    assert "nn.Parameter(" in constructor
    assert not any(constructor in path.read_text(encoding="utf-8") for path in handed_out)


@pytest.mark.skipif(sys.platform == "win32", reason="modes are POSIX's")
def test_the_teachers_folder_is_for_one_user(folder):
    new_assignment(["04"], 7, folder)

    assert stat.S_IMODE((folder / "teacher").stat().st_mode) == 0o700


def test_each_learner_of_a_roster_has_a_variant(folder):
    drawn = new_assignment(["06"], 7, folder, PEOPLE)

    starters = [path.read_text("utf-8") for path in (folder / "hand_out").glob("*/*/06*.py")]
    assert len(set(starters)) == len(PEOPLE)
    assert read_assignment(folder) == drawn
    assert drawn.variant_of("somebody", "4711") == drawn.variant_of("ada lovelace", "")
    assert drawn.variant_of("grace hopper", "999") == drawn.people[1].variant
    assert drawn.variant_of("nobody", "") == ""


def test_who_comes_later_changes_nobodys_variant(folder, tmp_path):
    drawn = new_assignment(["04"], 7, folder, PEOPLE)
    new_assignment(["04"], 7, tmp_path / "again", [("Zoe", "99"), *PEOPLE[::-1]])

    for name, learner_id in PEOPLE:
        path = f"hand_out/{drawn.variant_of(name, learner_id)}/{STEM}/starter.py"
        assert (folder / path).read_text("utf-8") == (tmp_path / "again" / path).read_text("utf-8")


@pytest.mark.parametrize(
    ("number", "twice", "message"),
    [
        ("09", False, "They can of 03, 04, 05, 06, 07, 08, 10, 12"),
        ("04", True, "holds an assignment already"),
    ],
)
def test_what_cannot_be_drawn_is_said(folder, number, twice, message):
    if twice:
        new_assignment(["04"], 7, folder)
    with pytest.raises(AssignmentError, match=message):
        new_assignment([number], 7, folder)


def test_none_is_drawn_into_a_folder_of_results(folder, grader):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "ledger.jsonl").touch()

    ended = grader("assignment", "new", "04", "--out", folder)

    assert (ended.status, "holds the results of a batch" in ended.err) == (2, True)
    assert [path.name for path in folder.iterdir()] == ["ledger.jsonl"]


def test_another_assignment_is_not_taken_for_it(folder, tmp_path):
    drawn = new_assignment(["04"], 7, folder)
    other = new_assignment(["04"], 8, tmp_path / "other")

    with pytest.raises(AssignmentError, match="it is another assignment"):
        private_rubric(tmp_path / "other", other, STEM, *drawn.variants)


@pytest.fixture
def copy(folder):
    """A learner's copy, and the answer of somebody who fixed it."""
    drawn = new_assignment(["04"], 7, folder)
    right = solution_of(private_rubric(folder, drawn, STEM, *drawn.variants)).read_text(
        encoding="utf-8"
    )
    path = shutil.copytree(folder / "hand_out" / STEM, folder.parent / "mine") / f"{STEM}.py"
    return path, right


def test_the_starters_faults_are_named_and_their_fixes_are_not(grader, copy):
    path, _ = copy
    path.write_text(f"{path.read_text('utf-8')}\nTOUCHED = True\n", encoding="utf-8")

    ran = grader("check", path)

    assert ran.status == 1
    assert "what this copy can tell" in ran.out
    assert "Marks are given elsewhere" in ran.out
    fixes = re.findall(r"Fix: (.*)", ran.out)
    assert fixes
    assert set(fixes) == {YOURS}
    checks, _, _ = ran.out.partition("What is wrong")
    assert re.findall(r"^  [✓✗] (\w+)", checks, re.MULTILINE) == list(VISIBLE)


def test_what_forward_gives_is_not_for_the_copy_to_tell(grader, copy):
    path, right = copy
    path.write_text(right.replace("return x", "return x * 2"), encoding="utf-8")

    ran = grader("check", path)

    assert ran.status == 0
    assert "Marks are given elsewhere" in ran.out


def test_an_untouched_copy_is_told_so(grader, copy):
    assert "NOT ATTEMPTED" in grader("check", copy[0]).out


def test_a_copy_that_was_damaged_is_said(grader, copy):
    path, _ = copy
    (path.parent / "variant.json").write_text("{")

    ran = grader("check", path)

    assert ran.status == 2
    assert "variant.json cannot be read" in ran.err + ran.out
