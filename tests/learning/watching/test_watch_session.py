"""What each key, save and report does to what a learner looks at."""

import re

import pytest

from grader.course.catalog import all_rubrics, find
from grader.learning.journal import Attempt, keep, read_journal
from grader.learning.watching.session import WatchSession, body, footer, header
from grader.schema.report import Finding, Report


@pytest.fixture
def asked(monkeypatch, tmp_path):
    monkeypatch.setenv("GRADER_JOURNAL", str(tmp_path / "journal.json"))
    return []


@pytest.fixture
def session(asked):
    return WatchSession(find("03"), lambda rubric: asked.append(rubric.number))


def report(verdict="failed", **more):
    return Report(verdict, "cuda:0 (simulated)", max_score=6, **more)


def passed():
    return report("passed", score=6)


def kept():
    return [(attempt.exercise, attempt.verdict) for attempt in read_journal()[0].attempts]


def shown(session):
    return "\n".join(body(session, 100))


def plain(lines):
    """What is drawn, without colours and line breaks."""
    return " ".join(re.sub(r"\x1b\[[\d;]*m", "", "\n".join(lines)).split())


def test_only_what_was_saved_is_an_attempt(session):
    session.show_report(report())
    assert kept() == []

    session.grade_saved("03_member_tensors")
    session.show_report(report())

    assert kept() == [("03", "failed")]


def test_an_answer_that_passes_without_a_save_is_kept_once(session):
    session.show_report(passed())
    session.step(1)
    session.step(-1)
    session.show_report(passed())

    assert kept() == [("03", "passed")]


def test_the_following_exercise_is_one_that_is_not_passed(asked):
    for earlier in all_rubrics()[1:]:
        if earlier.number != "05":
            keep(
                lambda journal, n=earlier.number: journal.add_attempt(
                    Attempt(n, "passed", 1, 1, "")
                )
            )
    session = WatchSession(find("13"), lambda rubric: asked.append(rubric.number))

    session.show_report(passed())
    session.go_on()
    assert session.rubric.number == "00"
    session.show_report(passed())
    session.go_on()
    assert session.rubric.number == "05"
    session.show_report(passed())
    session.go_on()

    assert session.following is None
    assert session.rubric.number == "05"
    assert "all exercises are passed" in shown(session)


def test_a_passing_answer_is_told_why_it_is_right_and_what_else_would_be(session):
    session.show_report(passed())

    text = " ".join(shown(session).split())
    assert "Press Enter to go on to 03b" in text
    assert "Our answer: Both are buffers, which is state without training" in text
    assert text.count("Also right: ") == len(session.rubric.also_right) == 2


def test_enter_does_not_leave_what_is_not_passed(session, asked):
    session.show_report(report())
    session.go_on()

    assert asked == ["03"]


def test_the_course_goes_round(session):
    for _ in all_rubrics():
        session.step(-1)
    assert session.rubric.number == "03"


def test_hints_end_with_the_last(session):
    for _ in range(9):
        session.hint()

    assert session.hints_so_far == session.rubric.hints
    assert read_journal()[0].hints_taken("03") == len(session.rubric.hints)


FINDING = Finding("member-tensor", "error", "self.mean", 24, "It stays.", "Register it.")


@pytest.fixture
def asking(session, course):
    """A session that asks which line is to blame."""
    session.grade_saved("03_member_tensors")
    session.show_report(report(findings=(FINDING,)))
    return session


def pointed_at(session):
    return next(line for line in shown(session).splitlines() if "▸" in line)


def test_the_arrows_choose_a_line_and_enter_unfolds_the_report(asking):
    assert "Which line is to blame?" in shown(asking)
    assert "It stays." not in shown(asking)
    assert "w why" in plain(footer(asking, 100, more=False))
    for by, line in ((0, "22"), (1, "23"), (-9, "22"), (10, "29"), (-2, "25")):
        asking.point(by)
        assert line in pointed_at(asking)
    asking.point(-2)
    asking.go_on()
    assert "Line 23 is not to blame. You have another try." in plain(body(asking, 100))
    assert "It stays." not in shown(asking)
    asking.point(2)
    asking.go_on()

    assert "You chose line 25. The finding is in line 24" in plain(body(asking, 100))
    assert "It stays." in shown(asking)
    assert (read_journal()[0].looks["03"].lines, kept()) == ((23, 25), [("03", "failed")])
    assert not asking.is_asking


def test_why_unfolds_it_too_and_both_are_asked_once(asking):
    asking.why()
    asking.show_report(report(findings=(FINDING,)))

    assert "It stays." in shown(asking)
    assert "▸" not in shown(asking)


def test_a_file_that_is_shorter_now_keeps_the_pointer_inside(asking, course):
    asking.point(9)
    file = course / "exercises" / "03_member_tensors.py"
    file.write_text(file.read_text().replace("return (x - self.mean) / self.std", '"""x"""'))
    asking.show_report(report(findings=(FINDING,)))

    assert "27" in pointed_at(asking)


def test_another_exercise_is_another_question(asking):
    asking.step(1)

    assert not asking.is_asking


@pytest.mark.parametrize("first", ["why", "hints"])
def test_the_last_hint_brings_the_fix_whatever_was_asked_first(asking, first):
    if first == "why":
        asking.why()
    for _ in asking.rubric.hints:
        assert "Register it." not in shown(asking)
        asking.hint()
    if first == "hints":
        assert "Register it." not in shown(asking)
        asking.why()

    assert "Fix: Register it." in shown(asking)


def test_after_the_last_hint_it_names_the_command_that_shows_a_solution(session):
    session.show_report(report())
    assert "press h for a hint" in shown(session)
    for _ in session.rubric.hints:
        session.hint()

    assert "grader solution 03" in shown(session)


def test_a_journal_that_cannot_be_kept_is_said_and_the_verdict_shown(
    session, monkeypatch, tmp_path
):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("GRADER_JOURNAL", str(tmp_path / "file" / "journal.json"))
    session.grade_saved("03_member_tensors")
    session.show_report(passed())

    assert "PASSED" in shown(session)
    assert "not kept in your progress" in " ".join(shown(session).split())


@pytest.mark.parametrize("width", [20, 40, 100])
def test_a_report_fits_every_width(session, width):
    session.show_report(report(message="`self.mean` stayed on the CPU. " * 9))

    for line in (*header(session, width), *footer(session, width, more=True)):
        assert line.count("─") in (0, width)
    assert body(session, width)
