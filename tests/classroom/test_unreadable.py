"""What nobody can read is no 0: every export has the learner, with an empty cell and the reason."""

import csv
import io
import os

import pytest
from entries import on_gradescope
from handing_in import NORMALIZER, SCALE, hand_in, notebook, solution, zipped

from grader.classroom.results.exports.tables import canvas_csv, results_csv
from grader.classroom.results.gradebook import gradebook
from grader.classroom.results.ledger import latest, read_ledger
from grader.classroom.results.pages import page_files

BROKEN = b"PK\3\4 and no more"
DEEP = "deep = lambda: a" + ".b" * 2_000


@pytest.fixture
def batch(tmp_path, grader):
    """Grades what is handed in next to a right answer of Ada's; gives the result of each."""

    def run(files):
        root = hand_in(tmp_path / "in", {f"ada/{NORMALIZER}.py": solution(), **files})
        ended = grader("batch", root, "--out", tmp_path / "out", "--jobs", 1)
        return ended, latest(read_ledger(tmp_path / "out"))

    return run


def rows(text):
    return list(csv.reader(io.StringIO(text)))


UNREADABLE = {
    "a broken notebook": {f"bo/{NORMALIZER}.ipynb": b"{"},
    "an empty notebook": {f"bo/{NORMALIZER}.ipynb": b""},
    "a notebook that is a list": {f"bo/{NORMALIZER}.ipynb": b"[]"},
    "a broken zip": {"bo/work.zip": BROKEN},
    "a learner's broken zip": {"bo.zip": BROKEN},
    "too large a file": {f"bo/{NORMALIZER}.py": b"#" * 10_000_001},
    "too large a zip": {"bo/work.zip": b"P" * 10_000_001},
    "Canvas's": {f"bo_4711_90210_{NORMALIZER}.ipynb": b"{"},
    "Moodle's": {f"bo_4711_assignsubmission_file_/{NORMALIZER}.zip": BROKEN},
}


@pytest.mark.parametrize("name", UNREADABLE)
def test_it_cannot_be_graded_and_no_cell_says_0(name, batch):
    ended, entries = batch(UNREADABLE[name])

    assert ended.status == 2
    assert entries["ada", "03"].report.verdict == "passed"
    report = entries["bo", "03"].report
    assert report.verdict == "cannot_grade"
    assert next(iter(UNREADABLE[name])) in report.message
    assert "Nothing was handed in" not in report.message
    book = gradebook(entries.values())
    assert rows(canvas_csv(book))[3][4] == ""
    heading, *lines = rows(results_csv(book))
    assert [row[heading.index("score")] for row in lines] == ["6", ""]
    assert "could not be read" in on_gradescope(book, "bo")
    assert any("could not be read" in page for _, page in page_files(book))


def test_a_learner_whose_folder_cannot_be_read_is_in_every_export(batch, monkeypatch):
    scan = os.scandir  # root may read any folder, and tests may run as root

    def refuse(path):
        if str(path).endswith(os.sep + "bo"):
            raise PermissionError(13, "Permission denied")
        return scan(path)

    monkeypatch.setattr("os.scandir", refuse)

    ended, entries = batch({f"bo/{NORMALIZER}.py": solution(), f"cy/{SCALE}.py": solution(SCALE)})

    assert ended.status == 2
    assert {key: entry.report.verdict for key, entry in entries.items()} == {
        ("ada", "03"): "passed",
        ("ada", "04"): "not_attempted",
        ("bo", "03"): "cannot_grade",
        ("bo", "04"): "cannot_grade",
        ("cy", "03"): "not_attempted",
        ("cy", "04"): "passed",
    }


def test_if_nothing_can_be_read_every_exercise_is_open(tmp_path, grader):
    root = hand_in(tmp_path / "in", {"bo/work.zip": BROKEN})

    grader("batch", root, "--out", tmp_path / "out")

    entries = latest(read_ledger(tmp_path / "out"))
    assert len(entries) > 10
    assert {entry.report.verdict for entry in entries.values()} == {"cannot_grade"}


def test_of_a_zip_that_can_be_read_the_rest_is_graded(batch, tmp_path):
    zipped(
        tmp_path / "in" / "bo" / "work.zip",
        {f"{SCALE}.py": solution(SCALE), f"{NORMALIZER}.ipynb": b"{"},
    )

    _, entries = batch({})

    assert entries["bo", "04"].report.verdict == "passed"
    assert entries["bo", "03"].report.verdict == "cannot_grade"


def test_handed_in_again_it_is_graded_and_again_unread_it_stays(batch):
    _, before = batch({f"bo/{NORMALIZER}.ipynb": b"{"})
    _, same = batch({f"bo/{NORMALIZER}.ipynb": b"{"})
    _, after = batch({f"bo/{NORMALIZER}.ipynb": notebook("import torch", solution())})

    assert before == same
    assert after["bo", "03"].report.verdict == "passed"


def test_what_was_missing_and_cannot_be_read_now_is_no_0_any_more(batch):
    _, before = batch({"bo/notes.txt": b"later"})
    _, after = batch({f"bo/{NORMALIZER}.ipynb": b"{"})

    assert before["bo", "03"].report.verdict == "not_attempted"
    assert after["bo", "03"].report.verdict == "cannot_grade"


def test_a_notebook_too_deep_to_be_taken_apart_ends_no_batch(batch):
    deep = notebook("import torch", DEEP, f"{solution()}\nx = deep\n")

    _, entries = batch({f"bo/{NORMALIZER}.ipynb": deep})

    assert entries["ada", "03"].report.verdict == "passed"
    assert ("bo", "03") in entries


def test_results_that_nobody_could_read_can_be_merged_and_regraded(batch, tmp_path, grader):
    _, entries = batch({f"bo/{NORMALIZER}.ipynb": b"{"})

    grader("merge", tmp_path / "out", "--out", tmp_path / "all")

    assert latest(read_ledger(tmp_path / "all")) == entries
    assert grader("regrade", tmp_path / "all").status == 0


def test_alone_as_on_gradescope_it_is_no_0_either(tmp_path):
    from grader.classroom.releases.single_submission import grade_alone
    from grader.course.catalog import find

    answers = hand_in(tmp_path, {f"{SCALE}.py": solution(SCALE), "work.zip": BROKEN})

    (scale, normalizer), left_out = grade_alone(answers, [find("04"), find("03")])

    assert (scale.verdict, scale.mark) == ("passed", 6)
    assert (normalizer.verdict, normalizer.mark) == ("cannot_grade", None)
    assert "work.zip is a broken zip" in normalizer.explanation
    assert any("work.zip" in file for file in left_out)
