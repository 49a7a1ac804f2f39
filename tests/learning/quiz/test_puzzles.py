"""The levels behave as declared, and so does a run of them in a terminal."""

import pytest
from msgspec.structs import replace

from grader.course.items import all_puzzles, find_puzzle
from grader.learning.journal import peek
from grader.learning.quiz.judging import judge
from grader.learning.quiz.keeping import solved_before
from grader.learning.quiz.words import board_of_choice
from grader.probe.containment.limits import Limits
from verify.puzzles import verify_puzzles

RIGHT = find_puzzle("1").fixes[0]


@pytest.fixture(autouse=True)
def _in_a_course(course):
    """Whatever a command writes, it writes there."""


@pytest.mark.search
@pytest.mark.parametrize("puzzle", all_puzzles(), ids=lambda puzzle: puzzle.key)
def test_every_level_is_as_declared(puzzle, monkeypatch):
    monkeypatch.setattr("verify.puzzles.all_puzzles", lambda: [puzzle])

    problems = [line for line, is_right in verify_puzzles() if not is_right]

    assert problems == []


def test_a_form_that_is_declared_wrong_is_told_apart(monkeypatch):
    first = find_puzzle("1")
    monkeypatch.setattr("verify.puzzles.all_puzzles", lambda: [broken(first)])
    lines = [line for line, is_right in verify_puzzles() if not is_right]

    assert [line.partition(": ")[2].partition(" '")[0] for line in lines] == [
        "2 wrong forms, and there should be 3",
        "wrong form",
    ]


def broken(puzzle):
    """The level with two wrong forms, one of which is right."""
    return replace(puzzle, wrong=(replace(puzzle.wrong[0], edits=RIGHT), puzzle.wrong[1]))


@pytest.mark.parametrize("line", ["while True: pass", "raise SystemExit", "self.mean ="])
def test_code_that_does_not_end_or_cannot_run_is_no_answer(line, monkeypatch):
    monkeypatch.setattr("grader.learning.quiz.judging.LIMITS", Limits(seconds=3, cpu_seconds=1))
    puzzle = find_puzzle("1")

    assert judge(puzzle, puzzle.edited(f"5: {line}")).failed_by == "raises"


def test_a_run_of_levels(grader, type_in):
    type_in("h", "s", "5: self.mean = torch.ones(3).cuda()", "u", "nonsense", RIGHT, "n", "q")
    first = grader("puzzles")

    puzzle = find_puzzle("1")
    assert "Level 1 of 40: The mean stays behind" in first.out
    assert "□ self.mean on cpu, not registered" in first.out
    assert "■ self.mean on cuda, buffer" in first.out
    assert puzzle.hint.split()[0] in first.out
    assert puzzle.wrong[0].why.split(":")[0] in first.out
    assert "Type LINE: new code." in first.out
    assert "✓ Right" in first.out
    assert "Level 3 of 40" in first.out
    assert first.out.endswith(
        "1 of 40 levels solved, 0 without the solution. Go on with: grader puzzles\n"
    )
    assert peek().puzzles["mean_stays_behind"].is_helped

    assert solved_before() is puzzle
    type_in("q")
    assert "Level 2 of 40" in grader("puzzles").out
    assert "Level 7 of 40" in grader("puzzles", "7").out
    assert grader("puzzles", "77").err == "grader: There is no level 77. There are 1, to 40.\n"


def test_a_pane_shows_what_is_wrong_where_every_tensor_is_on_the_gpu():
    puzzle = find_puzzle("38")
    lines = dict(board_of_choice(puzzle))

    assert lines["  ✗ called on two GPUs, calls: 0"] == "bad"
    solved = board_of_choice(puzzle, puzzle.right)
    assert "bad" not in dict(solved).values()


@pytest.mark.search
def test_every_level_shows_its_fault_in_its_pane():
    unseen = [p.key for p in all_puzzles() if "bad" not in dict(board_of_choice(p)).values()]

    assert unseen == []


def test_a_level_is_small_and_says_its_rule():
    assert len(all_puzzles()) == 40
    assert len({puzzle.title for puzzle in all_puzzles()}) == 40
    assert find_puzzle("1").rule == "Change one line."
    assert find_puzzle("11").rule == "Change one line. Do not write `device`."
