"""A roster: who is enrolled and handed in nothing is there, and who is not enrolled is named."""

import csv
import io
from datetime import datetime

import pytest
from a_class import ENTRIES, entry
from entries import write

from grader.classroom.results.exports.tables import canvas_csv, results_csv
from grader.classroom.results.gradebook import gradebook
from grader.classroom.results.roster import RosterError, read_roster, with_roster
from grader.classroom.results.term import Enrolled

ROSTER = "name,id,section,group\nAda,4711,A,blue\nGrace Hopper,4712,B,red\n"


def roster(tmp_path, text):
    path = tmp_path / "roster.csv"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("text", "enrolled"),
    [
        (ROSTER, Enrolled("Ada", "4711", "A", "blue")),
        ("ID number,First name,Surname\n4711,Ada,Lovelace\n", Enrolled("Ada Lovelace", "4711")),
        (
            "SID,Email,Section\n4711,ada@example.org,A\n",
            Enrolled("4711", "4711", "A", "", "ada@example.org"),
        ),
        ("\ufeffName\n Ada \n", Enrolled("Ada")),
    ],
)
def test_columns_are_known_by_what_systems_call_them(tmp_path, text, enrolled):
    assert read_roster(roster(tmp_path, text))[0] == enrolled


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "Its first line names the columns"),
        ("ada,4711\n", "Its first line names the columns"),
        ("name,section\nAda,A\n,A\n", "line 3: neither a name nor an ID"),
        ("name,id\nAda,1\nAda,1\n", "Ada is in line 2 and in line 3"),
        ("name,id\nAda,1\n\n,\nAda,1\n", "Ada is in line 2 and in line 5"),
        ("name,extension 03\nAda,soon\n", "line 2, extension 03: soon is no time"),
    ],
)
def test_what_cannot_be_read_is_said(tmp_path, text, message):
    with pytest.raises(RosterError, match=message):
        read_roster(roster(tmp_path, text))


def test_rows_that_a_spreadsheet_left_empty_are_nobody(tmp_path):
    (ada,) = read_roster(roster(tmp_path, "name,id\n\nAda,1\n,\n , \n"))

    assert ada.name == "Ada"


def test_a_learner_has_more_time_for_an_exercise(tmp_path):
    text = "name,extension 03,Extension 05\nAda,2026-03-04T23:59,\n"

    (ada,) = read_roster(roster(tmp_path, text))

    assert ada.extensions == {"03": datetime(2026, 3, 4, 23, 59)}


def test_namesakes_with_numbers_of_their_own_are_two(tmp_path):
    assert len(read_roster(roster(tmp_path, "name,id\nAda,1\nAda,2\n"))) == 2


def test_everybody_has_a_row_and_a_section(tmp_path):
    book, unknown = with_roster(gradebook(ENTRIES), read_roster(roster(tmp_path, ROSTER)))

    rows = list(csv.DictReader(io.StringIO(results_csv(book), newline="")))
    by_result = {(row["learner"], row["exercise"]): row for row in rows}
    assert by_result["ada", "03"]["section"] == "A"  # by the ledger's name, in its capitals
    assert by_result["Grace Hopper", "03"]["verdict"] == "not_handed_in"
    assert by_result["Grace Hopper", "03"]["group"] == "red"
    assert "grace" in unknown
    assert "Grace Hopper,4712,Grace Hopper,B," in canvas_csv(book)


def test_an_id_says_who_it_is_whatever_the_name(tmp_path):
    one = entry("lovelace.a", ENTRIES[0].report, learner_id="4711")

    book, unknown = with_roster(gradebook([one]), read_roster(roster(tmp_path, ROSTER)))

    assert book.learners == ("Grace Hopper", "lovelace.a")
    assert unknown == ()


def test_moodles_number_for_an_assignment_is_nobodys_id(tmp_path):
    facts = {"learner_id": "4711", "platform": "moodle", "receipt": "4711"}
    grace = entry("Grace Hopper", ENTRIES[0].report, **facts)

    book, unknown = with_roster(gradebook([grace]), read_roster(roster(tmp_path, ROSTER)))

    assert unknown == ()
    assert book.ids == {"Ada": "4711", "Grace Hopper": "4712"}


def test_an_export_names_who_is_missing(grader, tmp_path):
    write(tmp_path / "marks", *ENTRIES)
    path = roster(tmp_path, ROSTER)

    ran = grader("export", str(tmp_path / "marks"), "--to", "csv", "--roster", str(path))

    assert ran.status == 0
    assert "03: 1 of 8 learners handed in nothing: Grace Hopper." in ran.err
    assert "04: 7 of 8 learners handed in nothing: " in ran.err
    assert f"Not in {path}: " in ran.err


def test_extensions_without_due_dates_are_told_to_need_them(grader, tmp_path):
    write(tmp_path / "marks", *ENTRIES)
    path = roster(tmp_path, "name,extension 03\nAda,2026-03-04T23:59\n")

    ran = grader("export", str(tmp_path / "marks"), "--to", "csv", "--roster", str(path))

    assert f"The extensions in {path} need due dates" in ran.err


def test_a_roster_that_is_none_writes_nothing(grader, tmp_path):
    write(tmp_path / "marks", *ENTRIES)

    path = roster(tmp_path, "x\n")
    ran = grader("export", str(tmp_path / "marks"), "--to", "csv", "--roster", str(path))

    assert ran.status == 2
    assert "name,id,section,group" in ran.err
    assert not (tmp_path / "marks" / "results.csv").exists()
