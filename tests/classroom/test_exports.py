"""`grader export`: every form of a class's results, told from literal entries."""

import csv
import io
import json

import pytest
from a_class import ENTRIES, book, entry
from entries import on_gradescope, write
from hypothesis import given
from hypothesis import strategies as st

from grader.classroom.assignments.folder import variant_name
from grader.classroom.results.exports import FILES, FOLDERS, export
from grader.classroom.results.gradebook import file_stem, gradebook
from grader.cli.export import FORMATS
from grader.schema.report import Report

ODD_NAMES = st.text(min_size=1) | st.sampled_from(["=1+1", "+4", "-x", "@sum", "\t=1", "../../etc"])


def rows(form):
    _, render = FILES[form]
    return list(csv.DictReader(io.StringIO(render(book()), newline="")))


def test_every_form_that_can_be_asked_for_is_made():
    assert {*FORMATS.split(", ")} == {*FILES, *FOLDERS}


def test_an_installed_package_adds_a_form_of_its_own(grader, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "school.py").write_text("def files(book): yield 'names.txt', *book.learners\n")
    (tmp_path / "school-1.0.dist-info").mkdir()
    points = tmp_path / "school-1.0.dist-info" / "entry_points.txt"
    points.write_text("[wheres_my_tensor.exports]\nschool = school:files\n", encoding="utf-8")
    write(tmp_path / "marks", *ENTRIES[:2])

    ran = grader("export", tmp_path / "marks", "--to", "school")
    wrong = grader("export", tmp_path / "marks", "--to", "excel")

    assert ran.status == 0
    assert (tmp_path / "marks" / "school" / "names.txt").read_text("utf-8") == "ada"
    assert (wrong.status, "canvas, canvas-feedback, csv" in wrong.err) == (2, True)


@pytest.mark.parametrize("form", FILES)
def test_a_file_is_as_it_was_stored(form, golden):
    _, render = FILES[form]

    golden(f"export_{form}", render(book()).replace("\r\n", "\n"))


@pytest.mark.parametrize(
    ("learner", "verdict", "score"),
    [
        ("الخوارزمي", "crashed", ""),
        ("grace", "cannot_grade", ""),
        ("<script>alert(1)</script>", "tampered", ""),
        ("'=cmd|' /C calc'!A0", "timeout", "2"),  # earned before the loop
        ("Łukasz Żak", "failed", "3"),
        ('"quoted", with comma', "not_defined", "0"),
    ],
)
def test_a_verdict_that_is_no_mark_is_never_a_zero(learner, verdict, score):
    (row,) = [row for row in rows("csv") if (row["learner"], row["exercise"]) == (learner, "03")]

    assert (row["verdict"], row["score"]) == (verdict, score)
    assert (row["needs_a_person"] == "yes") == (
        verdict in ("crashed", "cannot_grade", "tampered", "timeout")
    )


def test_what_is_flagged_needs_a_person_and_keeps_its_mark():
    (row,) = [row for row in rows("csv") if (row["learner"], row["exercise"]) == ("ada", "04")]

    assert (row["verdict"], row["score"], row["needs_a_person"]) == ("passed", "6", "yes")
    assert row["flags"].startswith("import: line 3: imports `socket`, which no answer needs; ")
    assert {other["flags"] for other in rows("csv") if other is not row and other != row} == {""}


def test_a_learner_who_sees_gradescopes_page_sees_no_flag():
    results = json.loads(on_gradescope(book(), "ada"))

    assert results["extra_data"]["results"][1]["flags"][0] == {
        "kind": "import",
        "line": 3,
        "text": "imports `socket`, which no answer needs",
    }
    assert "socket" not in json.dumps({**results, "extra_data": None})


def test_canvas_has_its_columns_and_leaves_alone_what_is_no_mark():
    possible, *learners = rows("canvas")

    first, second = "03 A normalizer that follows its model", "04 What is trained, what is kept"
    assert list(possible) == ["Student", "ID", "SIS Login ID", "Section", first, second]
    assert (possible["Student"].strip(), possible[first]) == ("Points Possible", "6")
    cells = {row["Student"]: (row["ID"], row[first], row[second]) for row in learners}
    assert cells["ada"] == ("1815", "6", "6")
    assert cells["Łukasz Żak"] == ("", "3", "")
    assert cells["grace"] == ("", "", "")


@given(st.lists(ODD_NAMES, unique=True, min_size=1, max_size=4))
def test_whatever_a_learner_is_called_no_cell_is_a_formula_and_no_row_breaks(names):
    some = gradebook([entry(name, ENTRIES[0].report) for name in names])

    for form in ("csv", "canvas"):
        table = list(csv.reader(io.StringIO(FILES[form][1](some), newline="")))
        assert {len(row) for row in table} == {len(table[0])}
        assert not [cell for row in table for cell in row if cell.startswith(tuple("=+-@\t\r"))]


@given(st.lists(ODD_NAMES, unique=True, min_size=2))
def test_no_two_learners_share_a_file_even_where_case_does_not_count(names):
    stems = [file_stem(name).lower() for name in names]

    assert len(set(stems)) == len(names)
    assert all(stem.replace("-", "").replace("_", "").isalnum() for stem in stems)


@pytest.mark.parametrize(
    ("name", "begins"),
    [
        ("Björn Müller", "Bjorn-Muller-"),
        ("Łukasz Żak", "Lukasz-Zak-"),
        ("Søren Weiß", "Soren-Weiss-"),
        ("Zoë O'Neil", "Zoe-O-Neil-"),
    ],
)
def test_a_name_keeps_its_letters_in_a_files(name, begins):
    assert file_stem(name).startswith(begins)
    assert variant_name(7, name, "").startswith(begins)


@pytest.fixture
def batch(tmp_path):
    write(tmp_path, *ENTRIES)
    return tmp_path


@pytest.mark.parametrize("form", [*FILES, "html"])
def test_the_command_says_where_it_wrote_and_who_needs_a_person(grader, batch, form):
    ended = grader("export", batch, "--to", form)

    assert ended.status == 0
    written = batch / ended.out.strip().removeprefix(f"{batch}/")
    assert written.exists()
    assert "! grace 03: cannot_grade, no mark" in ended.err
    assert "! =cmd|' /C calc'!A0 03: timeout, 2 of 6 points" in ended.err
    assert "? ada 04: line 3: imports `socket`, which no answer needs" in ended.err
    assert "\x1b" not in ended.err


def test_the_command_writes_where_it_is_told(grader, batch, tmp_path):
    there = tmp_path / "marks" / "for_canvas.csv"

    grader("export", batch, "--to", "canvas", "--out", there)

    assert there.read_text(encoding="utf-8").startswith("Student,")
    assert not (batch / "canvas.csv").exists()


def test_a_folder_without_results_says_what_to_do_first(grader, tmp_path):
    ended = grader("export", tmp_path, "--to", "csv")

    assert ended.status == 2
    assert "grader batch SUBMISSIONS --out" in ended.err


def test_a_lone_learner_of_one_exercise_is_a_class_too(tmp_path):
    alone = gradebook([entry("ada", Report("not_attempted", "none", max_score=6))])

    for form in (*FILES, "html"):
        assert export(alone, form, tmp_path).exists()
