"""What is wrong comes with the first try, how to fix it with the second or with the last hint."""

import re
from pathlib import Path

import pytest

from grader.course.catalog import all_rubrics, exercise_file, find, starter
from grader.learning.help import for_learner
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
        return grader("check", NUMBER, "--device", "simulated", *options).out

    return check


@pytest.fixture
def tried(course):
    """An answer that is still wrong."""
    stem = find(NUMBER).stem
    exercise_file(stem).write_text(starter(stem) + "\nMINE = 1\n")


def test_the_starter_shows_the_fault_and_no_fix(check):
    for _ in range(3):
        stage = check()

    assert "`self.mean` is a plain tensor, so the module does not know it" in stage
    assert "      self.mean = torch.tensor(mean)" in stage
    assert "Fix:" not in stage
    assert "register_buffer" not in stage


def test_the_fix_comes_with_the_second_try(check, tried):
    first, second = check(), check()

    assert "Fix:" not in first
    assert "How to fix it is shown from your second try on" in first
    assert FIX in second
    assert "How to fix it is shown" not in second


def test_the_last_hint_opens_it_and_an_earlier_one_does_not(check, tried, grader):
    hints = len(find(NUMBER).hints)
    for number in range(1, hints):
        grader("hint", NUMBER, str(number))
    assert "Fix:" not in to_text(for_learner(find(NUMBER), failed()))

    grader("hint", NUMBER, str(hints))
    assert FIX in check()


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


@pytest.mark.parametrize("rubric", all_rubrics(), ids=lambda rubric: rubric.number)
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


def words(text: str) -> set[str]:
    """The words of a text that carry meaning: names, and all that are not short."""
    return {word.strip(".") for word in re.findall(r"[\w.]{4,}", text.lower())}
