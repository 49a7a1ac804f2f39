"""A term's rules: what a file may say, and what a mark comes to under them."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from entries import REPORT, entry, on_gradescope, write
from hypothesis import given
from hypothesis import strategies as st

from grader.classroom.results.exports import FILES, FOLDERS
from grader.classroom.results.gradebook import gradebook
from grader.classroom.results.late_policy import apply_late_policy, span
from grader.classroom.results.ledger import ManualMark
from grader.classroom.results.pages import feedback_page
from grader.classroom.results.term import Enrolled, Late, TermError, Terms, read_term

FIRST_DAY, LAST_DAY = "2020-01-01", "9000-01-01"
DUE = datetime(2026, 3, 1, 23, 59, tzinfo=UTC)

TERM = """
timezone = "Europe/Berlin"

[late]
grace_hours = 2
percent_a_day = 10
most_percent = 50
refused_after_days = 7

[assignments.03]
due = 2026-02-28T23:59:00
canvas = 12345

[assignments.04]
due = 2026-03-15T23:59:00+00:00
attempts = 2
late = { percent_a_day = 20 }

[[extensions]]
learners = ["4711"]
assignments = ["03"]
due = 2026-03-02T12:00:00
because = "She was ill."

[[extensions]]
sections = ["B"]
due = 2026-03-01T12:00:00
"""


@pytest.fixture
def term(tmp_path):
    return read(tmp_path, TERM)


def read(tmp_path, text):
    path = tmp_path / "term.toml"
    path.write_text(text, encoding="utf-8")
    return read_term(path)


def test_a_time_without_a_zone_is_in_the_terms(term):
    assert term.terms(Enrolled("Ada"), "03").due.isoformat() == "2026-02-28T23:59:00+01:00"
    assert term.terms(Enrolled("Ada"), "04").due.isoformat() == "2026-03-15T23:59:00+00:00"


def test_a_due_date_follows_the_zones_summer(tmp_path):
    summer = TERM.replace("2026-02-28T", "2026-06-28T")

    assert "+02:00" in read(tmp_path, summer).terms(Enrolled("Ada"), "03").due.isoformat()


def test_an_assignments_own_penalty_takes_the_place_of_the_terms(term):
    assert term.terms(Enrolled("Ada"), "03").late == Late(2, 10, 50, 7)
    assert term.terms(Enrolled("Ada"), "04").late == Late(percent_a_day=20)


@pytest.mark.parametrize(
    ("person", "number", "day", "because"),
    [
        (Enrolled("Ada", "4711"), "03", 2, "She was ill."),
        (Enrolled("4711"), "03", 2, "She was ill."),  # by the name
        (Enrolled("Ada", "4711", section="B"), "03", 2, "She was ill."),  # the longest
        (Enrolled("Bob", section="B"), "03", 1, ""),
        (Enrolled("Bob", section="A"), "03", 28, ""),
        (Enrolled("Bob", section="B"), "04", 15, ""),  # shorter than what all have
        (Enrolled("Bob", extensions={"03": datetime(2026, 3, 9)}), "03", 9, ""),
    ],
)
def test_an_extension_holds_for_those_whom_it_names(term, person, number, day, because):
    terms = term.terms(person, number)

    assert (terms.due.day, terms.because) == (day, because)
    assert terms.extended == (day in (1, 2, 9))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("late = ", "is not TOML"),
        ("[lates]", "there is no key `lates`. Did you mean `late`?"),
        (
            "[late]\npercent_per_day = 2",
            "there is no key `percent_per_day`. Did you mean `percent_a_day`?",
        ),
        (
            "[assignments.03]\ndue = 2026-03-01",
            "such as 2026-03-01T23:59:00, got a date without a time",
        ),
        ('[assignments.03]\ndue = "soon"', "due: Expected a time such as 2026-03-01T23:59:00"),
        ("[late]\ngrace = 2", "late: there is no key `grace`"),
        ("[late]\npercent_a_day = 110", r"late\.percent_a_day: "),
        ('[late]\ngrace_hours = "2"', r"late\.grace_hours: Expected a number, got text"),
        ("[assignments.03]\ndue = 2026-03-01", r"assignments\.03\.due: Expected a time such as"),
        ("[assignments.03]\ndue = 2026-03-01T12:00:00", r"assignments\.03\.due: in which zone\?"),
        ("[assignments.03]\nattempts = 0", r"assignments\.03\.attempts: "),
        ("[assignments.3]\nattempts = 1", r"assignments\.3: no exercise has the number 3"),
        ("assignments = 3", "write one table each"),
        ("[assignments.w]\npoints = 3", r"assignments\.w: no exercise .* w, or write exercises ="),
        ('[assignments.w]\nexercises = ["3"]', r"w\.exercises: no exercise has the number 3\."),
        (
            '[assignments.w]\nexercises = ["03", "03"]',
            r"03 is in assignments\.w\.exercises already",
        ),
        ('[assignments.w]\nexercises = ["03"]\nweights = {04 = 2}', r"w\.weights: 04 is none of"),
        ("[assignments.03]\npoints = 0", r"assignments\.03\.points: "),
        ('timezone = "Europa/Berlin"', "timezone: there is no zone 'Europa/Berlin'"),
        ('timezone = "../../etc"', "timezone: there is no zone"),
        ("[[extensions]]\nbecause = 'x'", r"extensions\[0\]: .*`due`"),
        ("[[extensions]]\ndue = 2026-03-01T12:00:00Z", r"extensions\[0\]: for whom\?"),
        (
            "[[extensions]]\ndue = 2026-03-01T12:00:00Z\nlearners = ['x']\nassignments = ['3']",
            r"extensions\[0\]\.assignments: no exercise has the number 3",
        ),
    ],
)
def test_a_slip_is_named_with_its_file_and_key(tmp_path, text, message):
    with pytest.raises(TermError, match=f"{tmp_path}/term.toml.*{message}"):
        read(tmp_path, text)


RULES = Late(grace_hours=2, percent_a_day=10, most_percent=25, refused_after_days=7)


@pytest.mark.parametrize(
    ("hours", "points", "arithmetic"),
    [
        (-1, 8, ""),
        (0, 8, ""),
        (1.5, 8, "8 of 10, 1 h 30 min late, within the grace of 2 h: 8"),
        (2, 8, "8 of 10, 2 h late, within the grace of 2 h: 8"),
        (26, 7.2, "8 of 10, 26 h late, grace 2 h, -10 % a day: 7.2"),
        (27, 6.4, "8 of 10, 27 h late, grace 2 h, -10 % a day for 2 days: 6.4"),
        (60, 6, "8 of 10, 60 h late, grace 2 h, -10 % a day for 3 days, at most -25 %: 6"),
        (168, 6, "8 of 10, 168 h late, grace 2 h, -10 % a day for 7 days, at most -25 %: 6"),
        (169, 0, "8 of 10, 169 h late, accepted for 7 days only: 0"),
    ],
)
def test_the_arithmetic_is_shown(hours, points, arithmetic):
    reckoned = apply_late_policy(
        8, 10, DUE + timedelta(hours=hours), Terms(DUE, late=RULES), said_late=False
    )

    assert (reckoned.points, reckoned.arithmetic) == (points, arithmetic)


def test_an_extension_is_told_with_its_reason():
    terms = Terms(DUE, True, "She was ill.", RULES)

    assert apply_late_policy(8, 10, DUE, terms, said_late=True).arithmetic == (
        "8 of 10, extended to 2026-03-01 23:59 UTC (She was ill.): 8"
    )
    assert apply_late_policy(8, 10, DUE + timedelta(hours=3), terms, said_late=True).arithmetic == (
        "8 of 10, extended to 2026-03-01 23:59 UTC (She was ill.), 3 h late, grace 2 h, "
        "-10 % a day: 7.2"
    )


def test_who_is_late_by_an_unknown_time_loses_nothing():
    reckoned = apply_late_policy(8, 10, None, Terms(DUE, late=RULES), said_late=True)

    assert reckoned.points == 8
    assert "unknown time" in reckoned.arithmetic


@given(
    score=st.integers(0, 30),
    minutes=st.integers(-10_000, 30_000),
    rule=st.builds(
        Late,
        grace_hours=st.integers(0, 48),
        percent_a_day=st.integers(0, 100),
        most_percent=st.integers(0, 100),
        refused_after_days=st.none() | st.integers(0, 14),
    ),
)
def test_being_later_never_gains_points_and_none_are_below_zero(score, minutes, rule):
    def points(late):
        at = DUE + timedelta(minutes=late)
        return apply_late_policy(score, 30, at, Terms(DUE, late=rule), said_late=False).points

    assert 0 <= points(minutes + 1) <= points(minutes) <= score
    assert points(min(minutes, 0)) == score


@pytest.mark.parametrize(
    ("seconds", "words"), [(0, "0 h"), (1, "1 min"), (3600, "1 h"), (93_659, "26 h 1 min")]
)
def test_a_span_is_told_in_hours_and_minutes(seconds, words):
    assert span(timedelta(seconds=seconds)) == words


def under(term, *entries):
    return replace(gradebook(entries), term=term)


def result(term, *entries):
    return next(under(term, *entries).results())


def tries(*scores, **changes):
    """The same exercise handed in again and again."""
    return [
        entry(
            exercise="04",
            submission=f"{i:064}",
            report=replace(REPORT, score=score),
            **changes,
        )
        for i, score in enumerate(scores)
    ]


@pytest.mark.parametrize(("day", "asks"), [(FIRST_DAY, False), (LAST_DAY, True)])
def test_the_feedback_is_in_the_terms_zone_and_says_hint_before_the_deadline(tmp_path, day, asks):
    term = read(tmp_path, TERM.replace("2026-02-28", day))
    report = replace(REPORT, next_step="Ask for a hint: grader hint 03")
    handed_in = entry(report=report, handed_in="2026-02-28T21:00:00+00:00")

    page = feedback_page(under(term, handed_in).totals("Ada Lovelace"))

    assert "handed in 2026-02-28 22:00 CET" in page
    assert ("grader hint" in page) == asks


def test_of_too_many_attempts_the_last_within_the_limit_counts(term):
    third = result(term, *tries(1, 4, 6))

    assert (third.mark, third.attempts) == (4, 3)
    assert third.arithmetic == "attempt 2 of 3 counts"


def test_within_the_limit_the_last_counts(term):
    assert result(term, *tries(5, 2)).mark == 2
    assert result(term, *tries(5, 2)).arithmetic == ""


def test_the_same_file_again_is_no_other_attempt(term):
    first, second = tries(1, 4)

    assert result(term, first, second, first, second).attempts == 2


@pytest.mark.parametrize("verdict", ["not_attempted", "cannot_grade"])
def test_a_starter_and_what_nobody_could_grade_are_no_attempts(term, verdict):
    first, second, third = tries(1, 4, 6)
    none = entry(exercise="04", submission="f" * 64, report=replace(REPORT, verdict=verdict))

    assert result(term, none, first, second).mark == 4
    assert result(term, none, first, second, third).mark == 4


def test_an_attempt_that_was_graded_again_counts_with_its_last_result(term):
    first, second, third = tries(1, 4, 6)
    (_, regraded, _) = tries(1, 5, 6)

    assert result(term, first, second, regraded, third).mark == 5


def test_an_attempt_too_many_counts_if_a_person_marks_it(term):
    first, second, _ = tries(1, 4, 6)
    marked = ManualMark(3, "It runs.", "teacher", "2026-03-20", f"{2:064}")
    (*_, third) = tries(1, 4, 6, marked=marked)

    assert result(term, first, second, third).mark == 3
    assert result(term, first, second, third).arithmetic == ""


def test_a_persons_mark_is_late_as_well(term):
    late = entry(
        handed_in="2026-03-01T12:00:00+00:00",
        marked=ManualMark(5, "It runs.", "teacher", "2026-03-20", "5e" * 32),
    )

    assert result(term, late).mark == 4.5


def test_every_gradebook_has_the_mark_and_learners_read_the_arithmetic(term):
    late = entry(handed_in="2026-03-01T12:00:00+00:00")

    for _, write_form in FILES.values():
        assert "0.9" in write_form(under(term, late))
        assert "0.9" not in write_form(gradebook([late]))
    pages = "".join(text for _, text in FOLDERS["html"](under(term, late)))
    assert "1 of 6, 13 h 1 min late, grace 2 h, -10 % a day: 0.9" in pages
    assert "03 A normalizer that follows its model (12345)" in FILES["canvas"][1](under(term, late))


def test_gradescopes_score_is_the_mark_and_the_tests_stay(term):
    late = under(term, entry(handed_in="2026-03-01T12:00:00+00:00"))

    results = json.loads(on_gradescope(late, *late.learners))
    assert results["score"] == 0.9
    assert sum(test["score"] for test in results["tests"]) == 1


def test_the_ledger_keeps_the_mark_without_the_rules(grader, tmp_path):
    marks, path = tmp_path / "marks", tmp_path / "term.toml"
    write(marks, entry(handed_in="2026-03-01T12:00:00+00:00"))
    before = (marks / "ledger.jsonl").read_bytes()
    path.write_text(TERM)

    ran = grader("export", str(marks), "--to", "csv", "--term", str(path))

    assert ran.status == 0
    assert ",1,6,0.9,yes,2026-02-28T23:59+01:00," in (marks / "results.csv").read_text()
    assert (marks / "ledger.jsonl").read_bytes() == before


def test_the_command_names_the_slip_and_writes_nothing(grader, tmp_path):
    marks, path = tmp_path / "marks", tmp_path / "term.toml"
    write(marks, entry())
    path.write_text("[late]\ngrace = 2")

    ran = grader("export", str(marks), "--to", "csv", "--term", str(path))

    assert (ran.status, ran.out) == (2, "")
    assert f"{path}, late: there is no key `grace`" in " ".join(ran.err.split())
    assert not (marks / "results.csv").exists()
