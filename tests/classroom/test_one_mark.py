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


FIVE = (*STEMS, "06_noise_in_forward", "07_moving_inputs")
HAND_IN = {  # a path for a learner's number and name, an exercise and whether it is late
    "moodle": "{name}_{n}_assignsubmission_file_/{stem}.py",
    "canvas": "{name}{late}_{n}_{file}_{stem}.py",
    "gradescope": "submission_{n}/{stem}.py",
}


def five_each(platform, path, count):
    """The zip of a class of which two are late, each with five answers, as a platform gives it."""
    metadata = ""
    with ZipFile(path, "w") as archive:
        for n in range(100, 100 + count):
            name, day = f"learner{n}", 2 if n in (101, 104) else 1
            person = f"  :submitters:\n  - :name: {name}\n    :sid: '{n}'\n"
            metadata += f"submission_{n}:\n{person}  :created_at: 2025-03-0{day} 12:00:00 Z\n"
            for i, stem in enumerate(FIVE):
                text = "\0" if (n, i) == (102, 3) else (wrong if (n + i) % 3 else solution)(stem)
                late, file = "_LATE" * (day == 2), 9000 + 5 * n + i
                file = HAND_IN[platform].format(name=name, n=n, stem=stem, late=late, file=file)
                archive.writestr(ZipInfo(file, (2025, 3, day, 12, 0, 0)), text)
        if platform == "gradescope":
            archive.writestr("submission_metadata.yml", metadata)


def rows_of(grader, out, form="csv", file="results.csv"):
    grader("export", out, "--to", form, "--term", "term.toml")
    with (out / file).open(encoding="utf-8", newline="") as opened:
        return list(csv.DictReader(opened))


@pytest.mark.slow
@pytest.mark.parametrize("count", [5, pytest.param(40, marks=pytest.mark.nightly)])
def test_a_term_is_the_same_from_each_platform(grader, tmp_path, monkeypatch, count):
    monkeypatch.chdir(tmp_path)
    rules = f"exercises = {[stem[:2] for stem in FIVE]}\npoints = 60\ndue = 2025-03-01T23:59:00Z"
    (tmp_path / "term.toml").write_text(f"[assignments.term]\n{rules}")
    monkeypatch.setattr("grader.classroom.grading.regrade.rubric_version", lambda _: "changed")
    found = {}
    for platform in HAND_IN:
        out = tmp_path / platform
        five_each(platform, f"{platform}.zip", count)
        grader("batch", f"{platform}.zip", "--out", out, "--assignment", "term")
        because = ("--because", "Read by hand.")
        grader("mark", "learner102", "06", "--in", out, "--score", "4.5", *because)
        if platform == "moodle":
            regraded = grader("regrade", out)
            assert f"{5 * count - 1} graded again, {5 * count - 1} of them" in regraded.out
        apart = {"handed_in", "arithmetic", "seconds", "isolation", "due", "file", "rubric"}
        kept = [{k: row[k] for k in row.keys() - apart} for row in rows_of(grader, out)]
        found[platform] = sorted(kept, key=lambda row: (row["learner"], row["exercise"]))

    rows = found["moodle"]
    assert found["canvas"] == found["gradescope"] == rows
    assert len(rows) == 5 * count
    assert {row["learner"] for row in rows if row["late"] == "yes"} == {"learner101", "learner104"}
    totals = {row["learner"]: float(row["assignment_mark"]) for row in rows}
    scores = {name: sum(float(r["mark"]) for r in rows if r["learner"] == name) for name in totals}
    most = sum(float(row["max_score"]) for row in rows[:5])
    assert totals == {name: round(score * 60 / most, 2) for name, score in scores.items()}
    sheet = rows_of(grader, tmp_path / "moodle", "moodle", "moodle/term.csv")
    assert {row["Full name"]: float(row["Grade"]) for row in sheet} == totals
    for platform in ("moodle", "canvas"):
        grader("export", platform, "--to", f"{platform}-feedback", "--term", "term.toml")
        with ZipFile(tmp_path / platform / f"{platform}-feedback" / "term.zip") as archive:
            pages = [archive.read(name).decode() for name in archive.namelist()]
        assert len(pages) == (count if platform == "moodle" else 5 * count)
        assert sum("Read by hand." in page for page in pages) == 1
