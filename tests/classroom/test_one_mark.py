"""An assignment of several exercises has one mark: from Moodle's zip to a worksheet with totals."""

import csv
import re
from zipfile import ZipFile, ZipInfo

import pytest
from handing_in import solution, wrong

from grader.classroom.results.ledger import LEDGER_NAME

STEMS = ("03_member_tensors", "04_parameter_or_buffer", "05_module_containers")
TERM = """
timezone = "UTC"
late = { percent_a_day = 50 }
[assignments.week3]
exercises = ["03", "04", "05"]
weights = { 05 = 2 }
points = 12
due = 2025-03-01T23:59:00
worksheet = "Grades.csv"
[[extensions]]
assignments = ["week3"]
learners = ["Fay"]
due = 2025-03-03T12:00:00
"""
SHEET = "Identifier,Full name,Grade,Maximum grade,Last modified (grade),Feedback comments\n"
# What each handed in for 03, 04 and 05, and the mark: 6 + 6 + 2 times 6 points are worth 12.
CLASS = {
    "Ada": ("right", "right", "right", "12"),
    "Bob": ("right", "wrong", "right", "10.5"),
    "Cem": ("right", "right", None, "6"),
    "Dee": ("late", "right", "right", "10.5"),
    "Eva": ("right", "unreadable", "right", ""),
    "Fay": ("late", None, None, "3"),  # she has an extension
    "Gus": (None, None, None, ""),
}


@pytest.fixture
def marks(tmp_path, monkeypatch, grader):
    """Moodle's zip of a class with three exercises each, graded; its worksheet, and the rules."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "term.toml").write_text(TERM)
    texts = {"wrong": wrong, "unreadable": lambda _: "\0"}
    rows = [f"Participant {n},{name},,12.00,-," for n, name in enumerate(CLASS, 100)]
    (tmp_path / "Grades.csv").write_text(SHEET + "\n".join(rows))
    with ZipFile("week3.zip", "w") as archive:
        for n, (name, kinds) in enumerate(CLASS.items(), 100):
            for stem, kind in zip(STEMS, kinds, strict=False):
                path = f"{name}_{n}_assignsubmission_file_/{stem}.py"
                time = (2025, 3, 2 if kind == "late" else 1, 12, 0, 0)
                if kind:
                    archive.writestr(ZipInfo(path, time), texts.get(kind, solution)(stem))
            archive.writestr(f"{name}_{n}_assignsubmission_file_/06_noise_in_forward.py", "x = 1")
    ran = grader("batch", "week3.zip", "--out", "marks", "--assignment", "week3")
    assert (ran.status, "15 submissions of 7 learners" in ran.out) == (2, True)
    return tmp_path / "marks"


def worksheet(grader, marks, *options):
    """The grades that Moodle would take, and the comments, by the name."""
    ran = grader("export", marks, "--to", "moodle", "--term", "term.toml", *options)
    assert ran.status == 0, ran.err
    with (marks / "moodle" / "week3.csv").open(encoding="utf-8", newline="") as file:
        rows = {row["Full name"]: row for row in csv.DictReader(file)}
    return {name: row["Grade"] for name, row in rows.items()}, rows, ran.err


def test_from_moodles_zip_to_one_worksheet(grader, marks, monkeypatch):
    grades, rows, told = worksheet(grader, marks)
    assert grades == {name: kinds[3] for name, kinds in CLASS.items()}
    assert "week3: no mark yet, as an exercise has none: Eva (2 of 3 exercises)." in told
    words = rows["Dee"]["Feedback comments"]
    assert words.startswith("week3: 10.5 of 12 points\n\n03 A normalizer that follows")
    assert "6 of 6, 12 h 1 min late, -50 % a day: 3" in words

    (marks.parent / "term.toml").write_text(TERM.replace("2025-03-01", "9000-01-01"))
    assert worksheet(grader, marks)[0]["Cem"] == ""  # 05 may still come
    (marks.parent / "term.toml").write_text(TERM)
    of_bob, ledger = '"score":3,"max_score":6', marks / LEDGER_NAME
    ledger.write_text(ledger.read_text().replace(of_bob, of_bob.replace("3", "0", 1)))
    grader("mark", "Eva", "04", "--in", marks, "--score", "4.5", "--because", "Read by hand.")
    before, _, told = worksheet(grader, marks)
    monkeypatch.setattr("grader.classroom.grading.regrade.rubric_version", lambda _: "changed")
    grader("regrade", marks)
    after, _, _ = worksheet(grader, marks)
    assert (before["Bob"], before["Eva"], "no mark yet" in told) == ("9", "11.25", False)
    assert (after["Bob"], after["Eva"]) == ("10.5", "11.25")


def test_each_form_has_the_total(grader, marks):
    for form in ("moodle-feedback", "canvas", "html"):
        grader("export", marks, "--to", form, "--term", "term.toml")
    with ZipFile(marks / "moodle-feedback" / "week3.zip") as archive:
        page = archive.read("Eva_104_assignsubmission_file_/week3.html").decode()
    assert re.findall(r"<td class=\"number\">(.*?)</td>", page) == ["9/12", "6/6", "", "6/6"]
    (head, _, ada, *_, gus) = csv.reader((marks / "canvas.csv").read_text().splitlines())
    assert (head[4:], ada[4:], gus[4:]) == (["week3"], ["12"], [""])
    page = (marks / "html" / "index.html").read_text()
    columns = re.findall(r'<th scope="col" class="\w+">(.*?)</th>', page)
    assert columns[-5:] == ["Learner", "week3", "03", "04", "05"]
    assert '<td class="number">9/12<br><span class="late">2 of 3 exercises</span></td>' in page

    grader("export", marks, "--to", "canvas", "--term", "term.toml", "--each")
    (head, *_) = csv.reader((marks / "canvas.csv").read_text().splitlines())
    assert [title.split()[0] for title in head[4:]] == ["03", "04", "05"]


def test_an_assignment_that_nobody_described_is_told(grader, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    batch = ("batch", tmp_path, "--out", tmp_path.parent / "marks", "--assignment", "week4")
    assert "there is no term.toml here" in " ".join(grader(*batch).err.split())
    (term := tmp_path / "term.toml").write_text(TERM)
    assert "--assignment NAME" in grader(*batch[:4], "--term", term).err
    assert "term.toml has no assignment week4. It has: week3." in grader(*batch).err
