"""Feedback goes back to where the work came from: each platform's own rules read the names."""

import csv
import io
import re
from dataclasses import replace
from datetime import UTC, datetime
from zipfile import ZipFile

import pytest
from entries import entry, write
from handing_in import hand_in, notebook, solution
from hypothesis import given
from hypothesis import strategies as st

from grader.classroom.intake.submissions import collect
from grader.classroom.results.exports import FOLDERS
from grader.classroom.results.exports.feedback import NoPlaceError
from grader.classroom.results.gradebook import gradebook
from grader.classroom.results.term import AssignmentRules, Term, TermError

RETURNS = {form: written for form, written in FOLDERS.items() if form != "html"}
MOODLE = "Ada Lovelace_4711_assignsubmission_file_"
CANVAS = "lovelaceada_LATE_4711_90210_"
STAMP = "2026-03-01 12:00:00.000000 UTC"
NAMES = st.text(st.characters(exclude_categories=("Cs",)), min_size=1).filter(
    lambda name: "/" not in name and name.strip()
)


def of_moodle(**changes):
    return entry(**{"platform": "moodle", "receipt": "4711", **changes})


def of_canvas(**changes):
    return entry(**{"platform": "canvas", "receipt": "4711_90210", **changes})


def zips(form, *entries):
    """The paths in each zip, and what is there."""
    for name, content in RETURNS[form](gradebook(entries)):
        with ZipFile(io.BytesIO(content)) as archive:
            yield name, {path: archive.read(path).decode() for path in archive.namelist()}


def participant(path):
    """Whom Moodle gives a file to: importziplib.php, is_valid_filename_for_import."""
    for part in path.split("/"):
        info = part.split("_", 4)
        if len(info) >= 4 and info[1].isdecimal() and info[2:4] == ["assignsubmission", "file"]:
            return int(info[1])
    return None


def attachment(path):
    """Whom Canvas gives a file to: assignment.rb, infer_comment_context_from_filename."""
    parts = path.rpartition("/")[2].split("_")
    return tuple(int(part) for part in parts if re.fullmatch(r"[0-9]+", part))[:2]


def test_moodle_gets_a_zip_for_each_exercise():
    other = of_moodle(exercise="04", receipt="815")

    found = dict(zips("moodle-feedback", of_moodle(), other))

    assert list(found) == ["03_member_tensors.zip", "04_parameter_or_buffer.zip"]
    ((path, page),) = found["03_member_tensors.zip"].items()
    assert path == f"{MOODLE}/03_member_tensors.html"
    assert "<h1><bdi>Ada Lovelace</bdi></h1>" in page
    assert "index.html" not in page


@given(NAMES)
def test_moodle_knows_the_learner_whatever_the_name(name):
    ((_, files),) = zips("moodle-feedback", of_moodle(learner=name))

    assert [participant(path) for path in files] == [4711]


@given(NAMES)
def test_canvas_knows_the_attachment_whatever_the_name(name):
    ((_, files),) = zips("canvas-feedback", of_canvas(learner=name))

    assert [attachment(path) for path in files] == [(4711, 90210)]


@pytest.mark.parametrize("name", ["x" * 240, "Ж" * 240, "a/../../b" * 30, "x_" * 120])
@pytest.mark.parametrize(
    ("form", "one"), [("moodle-feedback", of_moodle), ("canvas-feedback", of_canvas)]
)
def test_a_long_name_is_a_files_on_every_system(form, one, name):
    ((_, files),) = zips(form, one(learner=name))

    (path,) = files
    assert all(0 < len(part.encode()) < 255 and part != ".." for part in path.split("/"))
    assert path.count("/") == (form == "moodle-feedback")


def test_the_same_results_are_the_same_bytes():
    book = gradebook([of_moodle()])

    assert list(RETURNS["moodle-feedback"](book)) == list(RETURNS["moodle-feedback"](book))


def test_nbgrader_gets_a_page_for_each_notebook():
    notebook = "03_member_tensors/03_member_tensors.ipynb"
    two = [entry(learner="ada", exercise=number, file=notebook) for number in ("03", "04")]

    ((path, page),) = RETURNS["nbgrader-feedback"](gradebook(two))

    assert path == "ada/03_member_tensors/03_member_tensors.html"
    assert page.count("<h2 id=") == 2


def test_nbgrader_finds_the_submission_by_its_own_notes(tmp_path):
    folder = "ada/03_member_tensors"
    notes = {f"{folder}/timestamp.txt": STAMP, f"{folder}/submission_secret.txt": "5f1e"}
    work = notebook("import torch\nfrom torch import nn", solution("03_member_tensors"))
    root = hand_in(tmp_path / "submitted", {**notes, f"{folder}/03_member_tensors.ipynb": work})

    intake = collect(root)

    (submission,) = intake.answers
    assert (submission.learner, submission.document.origin.receipt) == ("ada", f"{STAMP}\n5f1e")
    assert datetime.fromisoformat(submission.time) == datetime(2026, 3, 1, 12, tzinfo=UTC)
    assert intake.left_out == []
    origin = {"platform": "nbgrader", "receipt": submission.document.origin.receipt}
    one = entry(learner="ada", file=submission.file, **origin)
    files = dict(RETURNS["nbgrader-feedback"](gradebook([one])))
    assert {path: files[path] for path in notes} == notes


@pytest.mark.parametrize(
    "text", ["", "soon", "2026-03-01 12:00:00.000000 CET", "2026-03-01\n2026-03-02", "\x00"]
)
def test_a_time_that_nobody_can_tell_is_the_files(tmp_path, text):
    folder = "ada/03_member_tensors"
    files = {f"{folder}/timestamp.txt": text, f"{folder}/03_member_tensors.py": "x = 1"}

    (submission,) = collect(hand_in(tmp_path / "submitted", files)).answers

    assert submission.handed_in == submission.document.modified


@pytest.mark.parametrize("position", [MOODLE, CANVAS])
def test_a_learners_own_timestamp_counts_for_nothing(tmp_path, position):
    files = {
        f"{position}x/timestamp.txt": STAMP,
        f"{position}x/answer/timestamp.txt": STAMP,
        f"{position}x/answer/03_member_tensors.py": "x = 1",
    }

    (submission,) = collect(hand_in(tmp_path / "in", files)).answers

    assert "2026-03-01T12" not in submission.time


@pytest.mark.parametrize("form", RETURNS)
def test_nothing_goes_back_to_where_nothing_came_from(grader, tmp_path, form):
    with pytest.raises(NoPlaceError):
        list(RETURNS[form](gradebook([entry()])))
    write(tmp_path, entry())

    ran = grader("export", str(tmp_path), "--to", form)

    assert ran.status == 2
    assert not (tmp_path / form).exists()


@pytest.mark.parametrize(
    ("file", "origin"),
    [
        (f"{MOODLE}/03_member_tensors.py", ("moodle", "4711")),
        ("Ada L_4711_assignsubmission_file/03_member_tensors.py", ("moodle", "4711")),  # Moodle 4.1
        (f"{CANVAS}03_member_tensors-1.py", ("canvas", "4711_90210")),
        ("ada/03_member_tensors.py", ("", "")),
    ],
)
def test_a_file_says_from_which_platform_it_is_and_by_what_that_takes_it_back(
    tmp_path, file, origin
):
    root = hand_in(tmp_path / "in", {file: solution("03_member_tensors")})

    (submission,) = collect(root).answers

    assert (submission.document.origin.platform, submission.document.origin.receipt) == origin


def test_the_time_in_canvas_zip_is_the_downloads_and_says_nothing(tmp_path):
    root = hand_in(tmp_path / "in", {f"{CANVAS}03_member_tensors.py": "x = 1"})

    (submission,) = collect(root).answers

    assert (submission.time, submission.late) == ("", True)


SHEET = (
    "Identifier,Full name,ID number,Email address,Status,Grade,Maximum grade,"
    "Grade can be changed,Last modified (submission),Last modified (grade),Feedback comments\n"
    "Participant 4711,Ada Lovelace,1815,ada@example.org,Submitted for grading,,6.00,Yes,"
    '"Sunday, 1 March 2026, 12:00 PM",-,\n'
    "Participant 4712,Grace Hopper,1906,,No submission,3.00,6.00,Yes,-,-,=old\n"
)


def worksheet(tmp_path, text, *entries):
    path = tmp_path / "Grades.csv"
    path.write_text(text, encoding="utf-8")
    term = Term(assignments={"03": AssignmentRules(worksheet=str(path))})
    return dict(RETURNS["moodle"](replace(gradebook(entries), term=term)))


def rows(text):
    return list(csv.DictReader(io.StringIO(text, newline="")))


def test_moodles_worksheet_is_filled_in_and_keeps_all_else(tmp_path):
    (text,) = worksheet(tmp_path, SHEET, of_moodle()).values()

    ada, grace = rows(text)
    before, untouched = rows(SHEET)
    assert (ada["Grade"], grace) == ("1", untouched)
    assert ada["Feedback comments"] == "Not yet.\n- buffers: `mean` is not"
    changed = {key for key in ada if ada[key] != before[key]}
    assert changed == {"Grade", "Feedback comments"}


@pytest.mark.parametrize("learner", ["ada lovelace", "someone"])
def test_who_handed_in_elsewhere_is_found_by_number_or_name(tmp_path, learner):
    one = entry(learner=learner, learner_id="1815" if learner == "someone" else "")

    (text,) = worksheet(tmp_path, SHEET, one).values()

    assert rows(text)[0]["Grade"] == "1"


def test_without_a_worksheet_those_are_in_it_who_handed_in_there():
    ((name, text),) = RETURNS["moodle"](gradebook([of_moodle(), entry(learner="Grace")]))

    assert name == "03_member_tensors.csv"
    assert [(row["Identifier"], row["Grade"]) for row in rows(text)] == [("Participant 4711", "1")]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (SHEET.replace("6.00", "100.00"), "Give the assignment 6 points in Moodle"),
        (SHEET.replace("Grade,", "Bewertung,", 1), "has no column Grade"),
        ("", "has no column"),
    ],
)
def test_a_worksheet_for_something_else_is_refused(tmp_path, text, message):
    with pytest.raises(TermError, match=message):
        worksheet(tmp_path, text, of_moodle())
