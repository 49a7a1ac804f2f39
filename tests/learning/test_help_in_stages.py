"""What is wrong comes once a line is blamed, and how to fix it with the last hint."""

import re
from pathlib import Path

import pytest
from rules import for_each

from grader.course.catalog import all_rubrics, exercise_file, find, starter
from grader.learning.first_look import is_asked
from grader.learning.help import for_learner
from grader.learning.journal import peek
from grader.render.data import to_json
from grader.render.html import to_html
from grader.render.junit import to_junit
from grader.render.text import to_text
from grader.schema.report import Finding, Report

GOLDEN = Path(__file__).parents[1] / "golden"
NUMBER = "03"
FIX = 'Fix: Register it as a buffer: `self.register_buffer("mean"'


@pytest.fixture
def check(course, grader):
    """Judges the exercise in a terminal; gives what it prints."""

    def check(*options: str) -> str:
        ended = grader("check", NUMBER, "--device", "simulated", *options)
        return ended.out + ended.err

    return check


@pytest.fixture
def tried(course):
    """An answer that is still wrong."""
    stem = find(NUMBER).stem
    exercise_file(stem).write_text(starter(stem) + "\nMINE = 1\n")


def test_the_first_report_asks_and_says_how_to_answer(check, tried):
    for _ in range(2):
        stage = check()

        assert "state_dict" not in stage, "a row without a word is left out"
        assert "raised RuntimeError in line 29: Expected all tensors" in stage
        assert "Two faults: find one. Which line is to blame?" in stage
        assert "  24      self.mean = torch.tensor(mean)\n" in stage
        assert "grader check 03 --line N" in stage
        assert "member-tensor" not in stage
        assert "not registered" not in stage
        assert "hint" not in stage
    assert peek().tries(NUMBER) == 0, "nobody has read a report"
    assert [attempt.verdict for attempt in peek().attempts] == ["failed", "failed"]


def test_a_line_unfolds_it_and_says_how_near_it_was(check):
    stage = check("--line", "26")

    assert "choose a line of Normalizer: 22, 23, 24, 25, 27, 29." in stage
    assert is_asked(find(NUMBER))
    stage = check("--line", "29")
    assert "Line 29: PyTorch raises there. Where was that tensor made?" in stage
    assert "plain tensor" not in stage
    stage = check("--line", "29")

    assert "You chose line 29. PyTorch raises there. The finding is in line 25" in stage
    assert "`self.mean` is a plain tensor, so the module does not know it" in stage
    assert peek().looks[NUMBER].lines == (29, 29)
    assert "member-tensor" in check()


def test_a_terminal_waits_for_the_answer(check, type_in, monkeypatch):
    monkeypatch.setattr("grader.cli.prompts.is_terminal", lambda: True)
    type_in("26", "mean", "23", "24")
    stage = check()

    assert stage.count("choose a line of Normalizer") == 2
    assert "Line 23 is not to blame. You have another try." in stage
    assert stage.index("Its number, or why: ") < stage.index("You chose line 24: right.")
    assert "Its number" not in check()


@pytest.mark.parametrize(("typed", "folded"), [("w", False), ("q", True)])
def test_an_answer_can_be_declined(check, type_in, monkeypatch, typed, folded):
    monkeypatch.setattr("grader.cli.prompts.is_terminal", lambda: True)
    type_in(typed)
    stage = check()

    assert ("grader check 03 --why" in stage) == folded == is_asked(find(NUMBER))
    assert ("member-tensor" in stage) == (not folded)


def test_why_unfolds_it_without_an_answer(check):
    stage = check("--why")

    assert "You chose" not in stage
    assert "member-tensor" in stage
    assert "Which line" not in check()


def test_the_starter_shows_the_fault_and_no_fix(check):
    for _ in range(3):
        stage = check("--why")

    assert "`self.mean` is a plain tensor, so the module does not know it" in stage
    assert "      self.mean = torch.tensor(mean)" in stage
    assert "Fix:" not in stage
    assert "register_buffer" not in stage


def test_the_fix_comes_with_the_last_hint(check, tried, grader):
    hints = len(find(NUMBER).hints)
    for number in range(1, hints):
        stage = check("--why")
        assert "Fix:" not in stage
        assert "How to fix it is shown after the last hint" in stage
        grader("hint", NUMBER, str(number))
    assert f"That was try {hints}. Hint {hints} of {hints}: grader hint 03\n" in check()

    grader("hint", NUMBER, str(hints))
    last = check()
    assert FIX in last
    assert "You have seen every hint. One good answer" in last
    assert "How to fix it is shown" not in last


def test_whoever_saw_the_solution_sees_the_fix(check, tried, grader):
    grader("solution", NUMBER)

    assert FIX in check()


def test_several_exercises_ask_and_wait_for_no_answer(check, tried):
    stage = check("04")

    assert stage.count("Which line is to blame?") == 2
    assert "--line is about one exercise" in check("04", "--line", "24")
    assert check("04", "--why").count("What is wrong, and why") == 2


def test_where_no_journal_counts_tries_everything_is_shown(check, tried, monkeypatch):
    monkeypatch.setenv("CI", "true")
    monkeypatch.delenv("GRADER_JOURNAL")

    assert FIX in check()


def test_a_journal_that_cannot_be_written_hides_nothing(check, tried, monkeypatch, tmp_path):
    monkeypatch.setenv("GRADER_JOURNAL", str(tmp_path / "journal.json"))
    monkeypatch.setattr("os.access", lambda path, mode: False)

    assert FIX in check()


def test_a_file_that_is_not_the_learners_own_shows_everything(answers, grader):
    path = answers.write(starter(find(NUMBER).stem) + "\nMINE = 1\n", find(NUMBER).stem)

    assert FIX in grader("check", path).out


def failed() -> Report:
    """A report on a tensor that stayed behind."""
    finding = Finding("member-tensor", "error", "self.mean", 24, "It stays.", "Register it.")
    return Report("failed", "cuda:0 (simulated)", "03", max_score=6, findings=(finding,))


def test_machines_read_the_fix_at_once(check, tried):
    first = for_learner(find(NUMBER), failed())

    assert not first.shows_fixes
    assert "Register it." not in to_text(first)
    assert "Register it." not in to_html(first)
    assert "Register it." in to_json([first])
    assert "Register it." in to_junit([first])
    assert '"fix": "Register it as a buffer' in check("--format", "json")


@for_each(all_rubrics(), lambda rubric: rubric.number)
def test_each_hint_adds_to_the_report_and_to_the_hints_before(rubric):
    # The stored report is compared with the printed one in test_cli.py.
    report = (GOLDEN / f"starter_{rubric.stem}.txt").read_text(encoding="utf-8")
    known = words(report)
    for hint in rubric.hints[:-1]:
        assert len(words(hint) - known) >= 2, hint
        known |= words(hint)
    code = max(rubric.hints[-1].split("`")[1::2], key=len)
    assert len(code) > 20, "the last one is nearly the code"
    assert not any(code in text for text in (report, *rubric.hints[:-1]))


@for_each(all_rubrics(), lambda rubric: rubric.number)
def test_code_is_the_only_mark_in_what_helps(rubric):
    for text in (*rubric.hints, rubric.reason, *rubric.also_right):
        assert "*" not in re.sub("`.*?`", "", text)


def words(text: str) -> set[str]:
    """The words of a text that carry meaning: names, and all that are not short."""
    return {word.strip(".") for word in re.findall(r"[\w.]{4,}", text.lower())}
