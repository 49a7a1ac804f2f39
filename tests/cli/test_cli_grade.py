"""`grader grade`, which is `make grade`: a line for each exercise, and the next step."""

import json

import pytest

from grader.course.catalog import all_rubrics, find, solution_file, starter, stems
from grader.learning.journal import read_journal

FIRST, SECOND, THIRD = stems()[:3]


@pytest.fixture
def write(course):
    """Writes a learner's file in exercises/."""

    def write(stem, text):
        (course / "exercises" / f"{stem}.py").write_text(text, encoding="utf-8")

    return write


def solution(stem):
    return solution_file(stem).read_text(encoding="utf-8")


def test_a_new_course_is_one_screen_with_a_first_verdict_and_no_failure(course, grader):
    ended = grader("grade")

    lines = ended.out.splitlines()
    assert ended.status == 0
    assert len(lines) <= 48
    assert any(line.endswith("judged on cuda:0 (simulated)") for line in lines)
    assert "Which line is to blame?" in ended.out
    assert all(len(line) <= 100 for line in lines[: len(stems())])
    for line, rubric in zip(lines, all_rubrics(), strict=False):
        assert line.split()[:2] == ["○", rubric.number]
        assert line.endswith("not tried")
    assert f"0 of {len(stems())} passed, {len(stems())} not tried." in lines
    assert f"Edit exercises/{FIRST}.py" in lines[-1]
    assert read_journal()[0].attempts == []


def test_a_narrow_terminal_cuts_the_titles_and_not_the_verdicts(course, grader, monkeypatch):
    monkeypatch.setenv("COLUMNS", "50")

    lines = grader("grade").out.splitlines()[: len(stems())]

    assert all(line.endswith("not tried") for line in lines)
    assert all(len(line) <= 50 for line in lines)


def test_each_tried_exercise_has_its_verdict_and_progress_knows_it(course, write, grader):
    write(FIRST, solution(FIRST))
    write(SECOND, starter(SECOND) + "\nMINE = 1\n")

    ended = grader("grade", "--device", "simulated")

    first, second, third = ended.out.splitlines()[:3]
    assert ended.status == 0, "a wrong answer was judged, and make shows no error of its own"
    assert (first.split()[0], first.split()[-1]) == ("✓", "passed")
    assert second.split()[0] == "✗"
    assert second.endswith(" points"), "which line is to blame is still to be asked"
    assert third.endswith("not tried")
    assert "1 not yet" in ended.out
    assert "judged on cuda:0 (simulated)." in ended.out
    assert f"Next: `grader check {find(SECOND).number}` says what is wrong" in ended.out

    passed, failed, untried = grader("progress").out.splitlines()[1:4]
    assert "passed, today" in passed
    assert "not yet, today" in failed
    assert "Which line is to blame?" in grader("check", "02").out, "no report was shown yet"
    assert untried.endswith("not tried")


def test_what_was_found_is_named_once_the_learner_has_looked(course, write, grader):
    write(SECOND, starter(SECOND) + "\nMINE = 1\n")
    grader("check", find(SECOND).number, "--why")

    second = grader("grade").out.splitlines()[1]

    assert f"points: {find(SECOND).finding} in line " in second


def test_what_cannot_be_judged_is_an_error(write, grader):
    write(FIRST, "class Broken(\n")

    ended = grader("grade")

    assert ended.status == 2
    assert f"✗ {find(FIRST).number}  " in ended.out
    assert ended.out.splitlines()[0].endswith("not defined")
    line = grader("progress").out.splitlines()[1]
    assert "not yet" in line
    assert "tr" not in line.partition("not yet")[2], "a file that Python cannot read is no try"


def test_comments_alone_are_no_try(write, grader):
    write(FIRST, starter(FIRST) + "\n# I will begin here\n")

    assert grader("grade").out.splitlines()[0].endswith("not tried")


def test_check_without_a_name_judges_what_was_tried(write, grader):
    write(FIRST, solution(FIRST))
    write(THIRD, "")

    ended = grader("check", "--format", "json", "--device", "simulated")

    assert ended.status == 2
    assert [report["verdict"] for report in json.loads(ended.out)] == ["passed", "not_defined"]


def test_what_is_optional_is_said_to_be_and_proposed_last(write, grader):
    for stem in (FIRST, SECOND):
        write(stem, solution(stem))

    ended = grader("grade", "--device", "simulated")

    assert find(THIRD).optional
    assert ended.out.splitlines()[2].endswith("optional, not tried")
    assert f"Next: {find(stems()[3]).number} " in ended.out
